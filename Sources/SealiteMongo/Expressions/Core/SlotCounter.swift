internal import SealiteValues

/// The allocation of indices in `Evaluation.slots`: each variable that a pipeline or an expression declares gets one of
/// its own.
final class SlotCounter {
    /// The number of indices that were allocated: all those below this number.
    private(set) var count = 0

    /// Allocates the next index, from 0, and returns it.
    func next() -> Int {
        count += 1
        return count - 1
    }
}
