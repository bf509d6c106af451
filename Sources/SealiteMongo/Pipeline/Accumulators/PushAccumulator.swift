internal import SealiteValues

/// `$push`; missing values are left out.
final class PushAccumulator: Accumulator {
    private var values: [BSON] = []

    func add(_ value: BSON?) -> Int {
        guard let value else { return 0 }
        values.append(value)
        return value.memoryByteCount
    }

    func result() -> BSON { .array(values) }
}
