internal import SealiteValues

/// The window function `$locf`: the last value that isn't null or missing, carried forward.
struct LastObservation: WindowFunction {
    let input: ExpressionNode

    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?] {
        var last = BSON.null
        return try partition.rows.map { row in
            evaluation.row = row
            if let value = try input.value(evaluation), !Optional(value).isNullish { last = value }
            return last
        }
    }
}
