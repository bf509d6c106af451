internal import SealiteValues

/// The window function `$shift`: the value of the row at a distance, or a default if there is no such row.
struct Shift: WindowFunction {
    let output: ExpressionNode
    let distance: Int
    let fallback: BSON

    func visitValues(
        of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: (BSON?) throws -> Void
    ) throws {
        for place in partition.rows.indices.map({ $0 + distance }) {
            guard partition.rows.indices.contains(place) else {
                try body(fallback)
                continue
            }
            evaluation.row = partition.rows[place]
            try body(try output.value(evaluation) ?? .null)
        }
    }
}
