internal import SealiteValues

extension AccumulatorKind {
    /// The accumulators `$push`, `$addToSet` and `$mergeObjects`.
    static let collections: [AccumulatorKind] = [
        .init("$push") { PushAccumulator() },
        .init("$addToSet") { operand, parser in
            let node = try parser.parse(operand)
            // A path to a missing value contributes null; any other expression without a value contributes nothing.
            let isPath = node.isPlain
            return AccumulatorSpecification(node) { _ in SetAccumulator(keepsMissing: isPath) }
        },
        .init("$mergeObjects") { MergeAccumulator() },
    ]
}
