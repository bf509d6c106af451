internal import SealiteValues

/// `$locf`: the last observed value, carried forward.
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
