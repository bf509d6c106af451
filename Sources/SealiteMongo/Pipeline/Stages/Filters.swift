internal import SealiteValues

extension StageKind {
    /// The stage that keeps the rows of a filter.
    static let filters: [StageKind] = [
        .init("$match") { specification, parser in
            guard case .document(let document) = specification else {
                throw MongoError(code: 15959, "$match takes an object, not \(specification.type.alias).")
            }
            let matches = try MatchSeam.matcher(document, parser.expressions)
            return FunctionStage { input, run in
                let evaluation = run.evaluation()
                return input.map { row in
                    evaluation.row = row
                    return try matches(evaluation) ? row : nil
                }
            }
        }
    ]
}
