internal import SealiteDatabase
internal import SealiteValues

/// The pipeline stages that are applied to change events.
struct ChangePipeline: Sendable {
    private let pipeline: Pipeline?

    private static let stages: Set<String> = [
        "$match", "$project", "$addFields", "$set", "$unset", "$replaceRoot", "$replaceWith", "$redact",
    ]

    init(_ stages: [MongoDocument]) throws {
        for name in stages.compactMap(\.keys.first) where StageKind.all[name] != nil && !Self.stages.contains(name) {
            throw MongoError(
                code: 20,
                "The stage \(name) isn't allowed for change events; allowed are \(Self.stages.sorted().joined(separator: ", "))."
            )
        }
        pipeline = stages.isEmpty ? nil : try Pipeline(parsing: stages)
    }

    /// Returns the documents that the stages produce from change events, which are given as documents.
    func documents(of events: [MongoDocument]) throws -> [MongoDocument] {
        guard let pipeline else { return events }
        var rows = try pipeline.rows(from: RowCursor(events.map { Row($0) }), options: PipelineOptions(now: .now))
        var documents: [MongoDocument] = []
        while let row = try rows.next() { documents.append(row.document) }
        return documents
    }
}
