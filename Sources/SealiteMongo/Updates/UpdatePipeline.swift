internal import SealiteValues

/// An update by the stages of a pipeline.
struct UpdatePipeline: Sendable {
    /// The names of the stages that are allowed in an update.
    private static let stages = ["$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith"]

    private let pipeline: Pipeline
    private let options: PipelineOptions

    init(_ stages: [BSON], _ context: FilterContext) throws {
        let stages = try stages.map { stage in
            guard case .document(let document) = stage, let name = document.keys.first, document.count == 1 else {
                throw MongoError(code: 40323, "A stage of an update's pipeline must be an object with one member.")
            }
            guard Self.stages.contains(name) else {
                throw MongoError(code: 72, "The pipeline of an update can't have the stage \(name).")
            }
            return document
        }
        pipeline = try Pipeline(parsing: stages, variables: context.variables)
        options = PipelineOptions(now: context.now)
    }

    /// Returns the document that the stages produce from a document.
    func apply(to document: MongoDocument) throws -> MongoDocument {
        var rows = try pipeline.rows(from: RowCursor([Row(document)]), options: options)
        guard let row = try rows.next() else { return document }
        return row.document
    }
}
