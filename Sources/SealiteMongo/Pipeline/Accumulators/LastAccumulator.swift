internal import SealiteValues

/// The accumulator of `$last`: the value of a group's last row, null if it is missing.
final class LastAccumulator: Accumulator {
    private var value: BSON?

    func add(_ value: BSON?) -> Int {
        let old = self.value?.memoryByteCount ?? 0
        self.value = value
        return (value?.memoryByteCount ?? 0) - old
    }

    func result() -> BSON { value ?? .null }
}
