internal import SealiteValues

/// The window function `$shift`: the value of the row at a distance, or a default if there is no such row.
struct Shift: WindowFunction {
    let output: ExpressionNode
    let distance: Int
    let fallback: BSON

    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?] {
        try partition.rows.indices.map { index in
            let place = index + distance
            guard partition.rows.indices.contains(place) else { return fallback }
            evaluation.row = partition.rows[place]
            return try output.value(evaluation) ?? .null
        }
    }
}
