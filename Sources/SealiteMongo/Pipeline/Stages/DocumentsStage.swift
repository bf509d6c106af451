internal import SealiteValues

/// The stage `$documents`, whose rows are the value of an expression instead of the documents of a collection.
struct DocumentsStage: Stage {
    let node: ExpressionNode

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let value = try node.value(run.evaluation())
        guard case .array(let items) = value else {
            throw MongoError(code: 5858203, "$documents takes an array of documents, not \(value.typeName).")
        }
        return RowCursor(
            try items.map { item in
                guard case .document(let document) = item else {
                    throw MongoError(
                        code: 40228,
                        "$documents takes an array of documents; an item is of the type \(item.type.alias).")
                }
                return Row(document)
            })
    }
}
