internal import SealiteValues

extension AccumulatorKind {
    /// Accumulators that collect all values.
    static let collections: [AccumulatorKind] = [
        .init("$push") { PushAccumulator() },
        .init("$addToSet") { operand, parser in
            let node = try parser.parse(operand)
            // A path to a missing value gives null; any other expression without a value gives nothing.
            let isPath = node.isPlain
            return AccumulatorSpecification(node) { _ in SetAccumulator(keepsMissing: isPath) }
        },
        .init("$mergeObjects") { MergeAccumulator() },
    ]
}

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

/// `$mergeObjects`: the members of all documents; the last member of each name wins.
final class MergeAccumulator: Accumulator {
    private var document = MongoDocument()

    func add(_ value: BSON?) throws -> Int {
        if value.isNullish { return 0 }
        guard case .document(let added) = value else {
            throw MongoError(code: 40400, "$mergeObjects takes objects, not \(value.typeName).")
        }
        document.merge(added)
        return value?.memoryByteCount ?? 0
    }

    func result() -> BSON { .document(document) }
}
