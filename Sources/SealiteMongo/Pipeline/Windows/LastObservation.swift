internal import SealiteValues

/// The window function `$locf`: the last value that isn't null or missing, carried forward.
struct LastObservation: WindowFunction {
    let input: ExpressionNode

    func visitValues(
        of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: (BSON?) throws -> Void
    ) throws {
        var last = BSON.null
        for row in partition.rows {
            evaluation.row = row
            if let value = try input.value(evaluation), !Optional(value).isNullish { last = value }
            try body(last)
        }
    }
}
