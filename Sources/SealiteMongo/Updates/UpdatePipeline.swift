internal import SealiteValues

/// An update by stages of a pipeline.
struct UpdatePipeline: Sendable {
    /// The stages that an update may have.
    private static let stages = ["$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith"]

    init(_ stages: [BSON], _ context: FilterContext) throws {
        for stage in stages {
            guard case .document(let document) = stage, document.count == 1, let name = document.keys.first else {
                throw MongoError(code: 40323, "A pipeline stage is an object with one member.")
            }
            guard Self.stages.contains(name) else {
                throw MongoError(code: 72, "\(name) is not allowed to be used within an update")
            }
        }
        throw MongoError.badValue("pipelines aren't there yet")
    }

    /// Returns a document as the stages leave it.
    func apply(to document: MongoDocument) throws -> MongoDocument { document }
}
