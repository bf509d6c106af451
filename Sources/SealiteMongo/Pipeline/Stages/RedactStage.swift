internal import SealiteValues

/// `$redact`.
struct RedactStage: Stage {
    /// The decision of the expression for a level.
    enum Decision: String, CaseIterable {
        case descend = "DESCEND"
        case prune = "PRUNE"
        case keep = "KEEP"

        /// The value of the variable with the decision's name.
        var value: BSON { .string("$$\(rawValue)") }
    }

    let node: ExpressionNode
    /// The slot of the document at the level.
    let current: Int

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let evaluation = run.evaluation()
        return input.map { row in
            evaluation.row = row
            return try redacted(row.document, evaluation).map { Row($0) }
        }
    }

    /// Returns the remaining part of a document; nil if none remains.
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
                code: 17053, "$redact's expression gives $$KEEP, $$PRUNE or $$DESCEND, not \(value.typeName).")
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
