internal import SealiteValues

/// The accumulator of `$push`: an array of the values, without missing ones.
final class PushAccumulator: Accumulator {
    private var values: [BSON] = []

    func add(_ value: BSON?) -> Int {
        guard let value else { return 0 }
        values.append(value)
        return value.memoryByteCount
    }

    func result() -> BSON { .array(values) }
}
