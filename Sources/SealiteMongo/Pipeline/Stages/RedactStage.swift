internal import SealiteValues

/// The stage `$redact`, which keeps or removes documents and the documents nested in them, as an expression decides.
struct RedactStage: Stage {
    /// The decision of the expression for a document or a nested document.
    enum Decision: String, CaseIterable {
        case descend = "DESCEND"
        case prune = "PRUNE"
        case keep = "KEEP"

        /// The value that the variable with the decision's name has in the expression, such as the string `$$KEEP`.
        var value: BSON { .string("$$\(rawValue)") }
    }

    let node: ExpressionNode
    /// The index in `Evaluation.slots` of the document that the expression decides about.
    let current: Int

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let evaluation = run.evaluation()
        return input.map { row in
            evaluation.row = row
            return try redacted(row.document, evaluation).map { Row($0) }
        }
    }

    /// Returns what the expression leaves of a document; nil if the document is removed.
    private func redacted(_ document: MongoDocument, _ evaluation: Evaluation) throws -> MongoDocument? {
        evaluation.slots[current] = .document(document)
        let value = try node.value(evaluation)
        switch Decision.allCases.first(where: { $0.value == value }) {
        case .keep: return document
        case .prune: return nil
        case .descend:
            return MongoDocument(
                try document.compactMap { member in
                    try redacted(member.value, evaluation).map { .init(member.key, $0) }
                })
        case nil:
            throw MongoError(
                code: 17053,
                "$redact's expression must give $$KEEP, $$PRUNE or $$DESCEND, but gave another value, of the type \(value.typeName)."
            )
        }
    }

    private func redacted(_ value: BSON, _ evaluation: Evaluation) throws -> BSON? {
        switch value {
        case .document(let document): try redacted(document, evaluation).map { .document($0) }
        case .array(let items): .array(try items.compactMap { try redacted($0, evaluation) })
        default: value
        }
    }
}
