internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues
internal import Synchronization

/// An index of the catalogue, ready to be searched and to check what is written.
struct PathIndex: Sendable {
    /// Its row of the catalogue.
    let record: IndexRecord
    /// The name of its table.
    let table: String
    let model: IndexModel
    /// The paths, for the entries of a document.
    let paths: [FilterPath]
    /// The filter of ``IndexOptions/partialFilterExpression``.
    let condition: Filter?

    private init?(_ record: IndexRecord) {
        guard let (table, source) = record.usable, let model = IndexModel(stored: source, name: record.name) else {
            return nil
        }
        self.record = record
        self.table = table
        self.model = model
        paths = model.paths.compactMap { FilterPath($0.utf8) }
        guard paths.count == model.paths.count else { return nil }
        do {
            condition = try model.options.partialFilterExpression.map { try Filter(parsing: $0) }
        } catch {
            return nil
        }
    }

    /// The indexes of a collection that the MongoDB-style API has made and that can be used now.
    static func all(of collection: Collection) throws -> [PathIndex] {
        try collection.indexRecords().filter { $0.kind == "multikey" }.compactMap { record in
            if let found = known.withLock({ $0.first { $0.record == record } }) { return found.index }
            let index = PathIndex(record)
            known.withLock { known in
                if known.count == knownLimit { known.removeFirst() }
                known.append((record, index))
            }
            return index
        }
    }

    /// The indexes that were read last: reading a stored definition takes longer than a search.
    private static let known = Mutex<[(record: IndexRecord, index: PathIndex?)]>([])
    private static let knownLimit = 64
}
