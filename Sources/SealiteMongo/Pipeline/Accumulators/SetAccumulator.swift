internal import SealiteValues

/// The accumulator of `$addToSet`: an array of the distinct values, in the order in which they are first found.
final class SetAccumulator: Accumulator {
    private var keys: Set<BSONKey> = []
    private var values: [BSON] = []
    private let keepsMissing: Bool

    /// Creates an accumulator. `keepsMissing` says whether a missing value counts as null; otherwise it is left out.
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
