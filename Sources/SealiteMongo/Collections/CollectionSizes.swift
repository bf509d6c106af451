internal import SealiteDatabase
internal import SealiteValues

extension DatabasePipelineStore: StatisticsStore {
    var namespace: String { [target.scopeName, target.name].compactMap { $0 }.joined(separator: ".") }

    func collections() throws -> [String] { try target.database.collections(scope: target.scopeName).map(\.name) }

    func statistics() throws -> CollectionStatistics? {
        guard let collection = target.collection else { return nil }
        let database = collection.database
        var (count, byteCount) = (0, 0)
        let documents =
            "SELECT count(*), total(length(body) + length(id)) FROM documents_\(collection.number) WHERE number > 0"
        try database.readRows(documents, isKept: false) { row in
            (count, byteCount) = (Int(row.int64(at: 0)), Int(row.double(at: 1)))
        }
        // The index over the `_id` is a part of the table of documents.
        let id = IndexModel(keys: ["_id": 1], options: IndexOptions(name: "_id_"))
        var indexes: [(model: IndexModel, byteCount: Int)] = [(id, 0)]
        for index in try PathIndex.all(of: collection) {
            var size = 0
            try database.readRows("SELECT total(length(key1)) FROM \(index.table)", isKept: false) {
                size = Int($0.double(at: 0))
            }
            indexes.append((index.model, size))
        }
        for index in try StringIndex.all(of: collection) { indexes.append((index.model, 0)) }
        return CollectionStatistics(count: count, byteCount: byteCount, indexes: indexes)
    }
}
