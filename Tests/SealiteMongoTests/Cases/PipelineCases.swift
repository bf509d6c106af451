import SealiteValues

@testable import SealiteMongo

/// Runs pipelines over rows in memory.
enum PipelineCases {
    /// Collections by their names; any other name is that of the collection that the pipeline begins with.
    struct Store: PipelineStore {
        var collections: [String: [MongoDocument]] = [:]
        var own: [Row] = []

        func rows(of collection: String) -> RowCursor {
            collections[collection].map { RowCursor($0.map { Row($0) }) } ?? RowCursor(own)
        }

        func replace(_ collection: String, with rows: RowCursor) throws {}
        func merge(_ rows: RowCursor, into specification: MergeSpecification) throws {}
    }

    /// Returns the documents that a pipeline makes of rows.
    static func rows(
        of pipeline: [BSON], over rows: [Row], variables: MongoDocument = [:], store: Store? = nil,
        memoryLimit: Int = 256 << 20
    ) throws -> [BSON] {
        let options = PipelineOptions(now: DateTime(milliseconds: 0), memoryLimit: memoryLimit)
        var cursor = try Pipeline(parsingValues: pipeline, variables: variables)
            .rows(from: RowCursor(rows), options: options, store: store ?? Store(own: rows))
        var documents: [BSON] = []
        while let row = try cursor.next() { documents.append(.document(row.document)) }
        return documents
    }
}
