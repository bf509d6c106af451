internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteJSON
internal import SealiteValues
internal import Synchronization

/// Checks the documents that are in a collection when a unique index is created. Later writes are checked by the
/// database, whichever API makes them.
struct IndexGuards {
    private let collection: Collection

    init(_ collection: Collection) { self.collection = collection }

    /// Checks all documents against a unique index that was just built.
    ///
    /// - Throws: `MongoError` 171 if several paths lead through arrays of a document, 17280 if a value is too long
    ///   or a document has too many, 11000 if two documents have the same values.
    func check(_ index: PathIndex) throws {
        if let grid = index.grid { return try checkGeometries(index, grid) }
        guard index.model.options.unique else { return }
        if index.paths.count > 1 { try checkArrays(index) }
        try checkLength(index)
        guard try duplicates(index).isEmpty else { throw MongoError(.duplicate, of: index.model.name, in: collection) }
    }

    private func checkGeometries(_ index: PathIndex, _ grid: GeoGrid) throws {
        let paths = index.model.geometryPaths.compactMap { FilterPath($0.utf8) }
        let sql = "SELECT body FROM documents_\(collection.number) WHERE number > 0"
        try collection.database.readRows(sql, isKept: false) { row in
            guard let flaw = row.withBytes(at: 0, { GeoEntries.flaw(grid, paths, body: $0) }) else { return }
            throw MongoError(flaw == .outOfRange ? .outOfRange : .notGeometry, of: index.model.name, in: collection)
        }
    }

    private func checkArrays(_ index: PathIndex) throws {
        let sql = "SELECT id, body FROM documents_\(collection.number) WHERE number > 0"
        try collection.database.readRows(sql, isKept: false) { row in
            let (id, body) = (row.text(at: 0), row.bytes(at: 1) ?? [])
            let entries = PathEntries(index.paths, isSparse: index.model.options.sparse, id: id, body: body.span)
            guard !entries.haveAcceptedArrays(in: body.span, isUnique: true) else { return }
            let found = Row(body: body, id: DocumentKey.value(of: id))
            guard try index.condition?.matches(found) ?? true else { return }
            throw MongoError(.parallelArrays, of: index.model.name, in: collection)
        }
    }

    private func checkLength(_ index: PathIndex) throws {
        let sql = """
            SELECT d.id, d.body FROM \(index.table) AS e JOIN documents_\(collection.number) AS d
            ON d.number = e.document WHERE length(e.key1) >= \(OrderKey.maximumByteCount) OR e.key1 = x''
            """
        try collection.database.readRows(sql, isKept: false) { row in
            let found = Row(row)
            guard try index.condition?.matches(found) ?? true else { return }
            throw MongoError(.tooLong, of: index.model.name, in: collection)
        }
    }

    /// Returns the groups of documents that have an equal entry in a unique index, each as an array of `_id`s. A
    /// document that shares several entries with others is in several groups. The empty entry, which a document with
    /// too many entries has instead of these, isn't equal to another one.
    func duplicates(_ index: PathIndex) throws -> [[BSON]] {
        var groups: [(key: [UInt8], ids: [BSON])] = []
        let sql = """
            SELECT e.key1, d.id, d.body FROM \(index.table) AS e JOIN documents_\(collection.number) AS d
            ON d.number = e.document
            WHERE e.key1 <> x''
            AND e.key1 IN (SELECT key1 FROM \(index.table) GROUP BY key1 HAVING min(document) <> max(document))
            GROUP BY e.key1, d.id ORDER BY e.key1, d.number
            """
        try collection.database.readRows(sql, isKept: false) { row in
            let (key, id) = (row.bytes(at: 0) ?? [], DocumentKey.value(of: row.text(at: 1)))
            let found = Row(body: row.bytes(at: 2) ?? [], id: id)
            guard try index.condition?.matches(found) ?? true else { return }
            if groups.last?.key == key {
                groups[groups.count - 1].ids.append(id)
            } else {
                groups.append((key, [id]))
            }
        }
        return groups.map(\.ids).filter { $0.count > 1 }
    }

    /// Registers, when it is first accessed in a process, the function by which `SealiteDatabase` parses the filters of
    /// `partialFilterExpression`.
    static let filtersAreKnown: Void = IndexFilters.setCompiler { text in
        let filter = try Filter(parsing: try MongoDocument(extendedJSON: text))
        return { id, body in try filter.matches(Row(body: body, id: DocumentKey.value(of: id))) }
    }
}

extension MongoError {
    /// Creates the error for a document that an index refuses.
    init(_ refusal: IndexRefusal, of index: String, in collection: Collection) {
        switch refusal {
        case .duplicate:
            self.init(
                code: 11000,
                "E11000: the collection \(collection.fullName) already has a document with this value in the index \(index)."
            )
        case .parallelArrays:
            self.init(
                code: 171,
                "Two paths of the index '\(index)' lead through arrays of a document: they mustn't lead through different arrays or, in a unique index, through one array."
            )
        case .notGeometry:
            self.init(
                code: 16755,
                "A document can't be in the index '\(index)': its value there isn't a geometry that the index can have."
            )
        case .outOfRange:
            self.init(
                code: 13027,
                "A document can't be in the index '\(index)': a coordinate there is outside of the index's bounds.")
        case .tooLong:
            self.init(
                code: 17280,
                "A document can't be in the unique index '\(index)': its value there takes \(OrderKey.maximumByteCount) bytes or more, or it has more than \(PathEntries.limit) values."
            )
        }
    }
}

extension Collection {
    /// Saves a document.
    ///
    /// - Throws: `MongoError` if an index, or a check that another module registered, such as that of a schema, refuses
    ///   the document; otherwise the errors of the storage.
    func saveForMongo(_ document: MutableDocument) throws {
        do {
            try save(document: document)
        } catch let error as DatabaseError {
            guard let refusal = error.underlying as? NamedIndexRefusal else { throw error }
            throw MongoError(refusal.refusal, of: refusal.index, in: self)
        } catch let error as any DocumentRefusal {
            throw MongoError(code: 121, "The document is refused: \(error.refusal)")
        }
    }
}

/// An index that was created through the MongoDB API, with its definition from the database's catalogue, parsed for
/// searches and for checks of documents.
final class PathIndex: Sendable {
    /// The row of the database's catalogue that records the index.
    let record: IndexRecord
    /// The name of the SQL table that has the index's entries.
    let table: String
    let model: IndexModel
    /// The paths from which a document's entries are computed.
    let paths: [FilterPath]
    /// The statements that find the documents with the key ?1, in natural order and in the reverse order; their columns
    /// are a document's ID, body and row number.
    let exactSearch: (forwards: String, backwards: String)
    /// The parsed filter of ``IndexOptions/partialFilterExpression``; nil if the index has none.
    let condition: Filter?
    /// The grid of an index on geometries; nil for an index of values.
    let grid: GeoGrid?

    private init?(_ record: IndexRecord) {
        guard let (table, source) = record.usable, let model = IndexModel(stored: source, name: record.name) else {
            return nil
        }
        (self.record, self.table, self.model) = (record, table, model)
        grid = model.grid
        guard (grid != nil) == (record.kind == .geo) else { return nil }
        // Each part has the order of the index, so that SQLite merges them as they are read. A document that is damaged
        // or has too many keys has an empty one instead. An array has an entry for each of its items: of those that are
        // equal the first one counts.
        let parts = ["?1", "x''"].map {
            """
            SELECT d.id, d.body, e.document AS number FROM \(table) AS e
            CROSS JOIN documents_\(record.collection) AS d ON d.number = e.document
            WHERE e.key1 = \($0) AND +d.number > 0 AND (e.position = x'00' OR NOT EXISTS
                (SELECT 1 FROM \(table) AS f
                 WHERE f.key1 = e.key1 AND f.document = e.document AND f.position < e.position))
            """
        }
        let all = parts.joined(separator: " UNION ALL ")
        exactSearch = ("\(all) ORDER BY 3", "\(all) ORDER BY 3 DESC")
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
        var indexes: [PathIndex] = []
        for record in try collection.indexRecords() where record.kind == .multikey || record.kind == .geo {
            if let index = parsed(record) { indexes.append(index) }
        }
        return indexes
    }

    private static func parsed(_ record: IndexRecord) -> PathIndex? {
        known.withLock { known in
            for place in known.indices where known[place].record == record { return known[place].index }
            let index = PathIndex(record)
            if known.count == knownLimit { known.removeFirst() }
            known.append((record, index))
            return index
        }
    }

    /// A cache of parsed indexes, with nil for those that can't be used, since parsing a stored definition takes longer
    /// than a search.
    private static let known = Mutex<[(record: IndexRecord, index: PathIndex?)]>([])
    private static let knownLimit = 64
}
