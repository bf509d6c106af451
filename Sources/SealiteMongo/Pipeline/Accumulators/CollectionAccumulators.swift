internal import SealiteValues

extension AccumulatorKind {
    /// All values together.
    static let collections: [AccumulatorKind] = [
        .init("$push") { PushAccumulator() },
        .init("$addToSet") { operand, parser in
            let node = try parser.parse(operand)
            // A path that leads to nothing gives null, another expression without a value nothing.
            let isPath = node.isPlain
            return AccumulatorSpecification(node) { _ in SetAccumulator(keepsMissing: isPath) }
        },
        .init("$mergeObjects") { MergeAccumulator() },
    ]
}

/// `$push`; what is missing is left out.
final class PushAccumulator: Accumulator {
    private var values: [BSON] = []

    func add(_ value: BSON?) -> Int {
        guard let value else { return 0 }
        values.append(value)
        return value.memoryByteCount
    }

    func result() -> BSON { .array(values) }
}

/// `$addToSet`: each value once.
final class SetAccumulator: Accumulator {
    private var keys: Set<BSONKey> = []
    private var values: [BSON] = []
    private let keepsMissing: Bool

    /// An accumulator that takes null for what is missing, or leaves it out.
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

/// `$mergeObjects`: the members of all documents, the last one of each name.
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
