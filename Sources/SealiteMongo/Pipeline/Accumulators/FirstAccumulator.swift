internal import SealiteValues

/// The accumulator of `$first`: the value of a group's first row, null if it is missing.
final class FirstAccumulator: Accumulator {
    private var value: BSON?

    func add(_ value: BSON?) -> Int {
        guard self.value == nil else { return 0 }
        self.value = value ?? .null
        return self.value?.memoryByteCount ?? 0
    }

    func result() -> BSON { value ?? .null }
}
