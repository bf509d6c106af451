internal import SealiteValues

/// The score of a document in the `$vectorSearch` that found it, as `{"$meta": "vectorSearchScore"}`.
enum SearchScore {
    private static let name = "vectorSearchScore"

    /// Checks the operand of `$meta` in an expression or a sort. `isAvailable` says whether the documents have a score.
    ///
    /// - Throws: `MongoError` 17307 unless the operand names the score, 40218 if the documents have none.
    static func check(_ operand: BSON, isAvailable: Bool) throws {
        try require(operand.text == name, 17307, "$meta takes '\(name)', the only metadata that there is.")
        try require(
            isAvailable, 40218,
            "'\(name)' isn't available here: the pipeline must begin with $vectorSearch, and no stage before this one may "
                + "make other documents, as $group does.")
    }
}

extension ExpressionOperator {
    /// The operator `$meta`, which gives the score of a document that `$vectorSearch` found.
    static let metadata: [ExpressionOperator] = [
        .init("$meta") { operand, parser in
            try SearchScore.check(operand, isAvailable: parser.hasScore)
            return .form { $0.row.score.map { .double($0) } }
        }
    ]
}
