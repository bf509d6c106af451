internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues
internal import Synchronization

/// An index that was created through the MongoDB API, with its definition from the database's catalogue, parsed for
/// searches and for checks of documents.
struct PathIndex: Sendable {
    /// The row of the database's catalogue that records the index.
    let record: IndexRecord
    /// The name of the SQL table that has the index's entries.
    let table: String
    let model: IndexModel
    /// The paths from which a document's entries are computed.
    let paths: [FilterPath]
    /// The parsed filter of ``IndexOptions/partialFilterExpression``; nil if the index has none.
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

    /// Returns the usable indexes of a collection that were created through the MongoDB API.
    static func all(of collection: Collection) throws -> [PathIndex] {
        try collection.indexRecords().filter { $0.kind == .multikey }.compactMap { record in
            if let found = known.withLock({ $0.first { $0.record == record } }) { return found.index }
            let index = PathIndex(record)
            known.withLock { known in
                if known.count == knownLimit { known.removeFirst() }
                known.append((record, index))
            }
            return index
        }
    }

    /// A cache of parsed indexes, with nil for those that can't be used, since parsing a stored definition takes longer
    /// than a search.
    private static let known = Mutex<[(record: IndexRecord, index: PathIndex?)]>([])
    private static let knownLimit = 64
}
