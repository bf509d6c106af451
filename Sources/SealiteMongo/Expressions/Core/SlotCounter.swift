internal import SealiteValues

/// The number of variables that a pipeline or an expression declares. Each declaration has a slot of its own.
final class SlotCounter {
    /// The number of slots that were allocated.
    private(set) var count = 0

    /// Returns a new slot.
    func next() -> Int {
        count += 1
        return count - 1
    }
}
