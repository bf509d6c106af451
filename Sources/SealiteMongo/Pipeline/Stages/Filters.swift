internal import SealiteValues

extension StageKind {
    /// The stage `$match`, which keeps the rows that fulfil a filter.
    static let filters: [StageKind] = [
        .init("$match") { specification, parser in
            guard case .document(let document) = specification else {
                throw MongoError(code: 15959, "$match takes an object, not \(specification.type.alias).")
            }
            return try MatchStage(document, parser.expressions)
        }
    ]
}
