internal import SealiteValues

/// `$addToSet`: the distinct values.
final class SetAccumulator: Accumulator {
    private var keys: Set<BSONKey> = []
    private var values: [BSON] = []
    private let keepsMissing: Bool

    /// Creates an accumulator that adds null for missing values, or leaves them out.
    init(keepsMissing: Bool) { self.keepsMissing = keepsMissing }

    func add(_ value: BSON?) -> Int {
        guard keepsMissing || value != Optional.none else { return 0 }
        let value = value.isNullish ? BSON.null : value ?? .null
        guard keys.insert(BSONKey(value)).inserted else { return 0 }
        values.append(value)
        return value.memoryByteCount
    }

    func result() -> BSON { .array(values) }
}
