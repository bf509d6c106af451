internal import SealiteDatabase
internal import SealiteValues

/// The rows of a collection for a pipeline, read in pages on the thread that asks for them, whose transaction or snapshot they are out of.
final class CollectionRows {
    private let collection: Collection
    private let filter: Filter
    /// The part of an index that is searched; nil where all documents are read.
    private let search: IndexSearch?
    private var rows: [Row] = []
    private var place = 0
    /// The number of the last row that was read; nil behind the last page.
    private var last: Int64? = 0

    /// The rows that are read at once, and the bytes of bodies after which fewer are.
    private static let page = (rows: 256, bytes: 1 << 20)

    private init(_ collection: Collection, _ filter: Filter) throws {
        (self.collection, self.filter) = (collection, filter)
        search = try ScanPlan.search(filter, collection)
    }

    /// Returns a cursor over the documents that fulfil a filter.
    static func cursor(_ collection: Collection, _ filter: Filter) throws -> RowCursor {
        guard filter.ids == nil else {
            var rows: [Row] = []
            try CollectionSource(collection: collection).visit(filter, isReversed: false) { row, _ in
                rows.append(row)
                return true
            }
            return RowCursor(rows)
        }
        let source = try CollectionRows(collection, filter)
        let bodies = try BodyScan(filter, collection)
        return RowCursor({ try source.next() }, visitBodies: bodies.map { bodies in { try bodies.visit($0) } })
    }

    private func next() throws -> Row? {
        while place == rows.count {
            guard let last else { return nil }
            try read(behind: last)
        }
        defer { place += 1 }
        return rows[place]
    }

    private func read(behind number: Int64) throws {
        rows.removeAll(keepingCapacity: true)
        place = 0
        var (count, byteCount, limit) = (0, 0, Int64.max)
        let condition = search.map { " AND \($0.condition(after: 1))" } ?? ""
        let sql = """
            SELECT id, body, number FROM documents_\(collection.number) WHERE number > ?1\(condition)
            ORDER BY number LIMIT \(Self.page.rows)
            """
        try collection.database.readRows(
            sql, isKept: (search?.ranges.count ?? 1) <= 1,
            bind: {
                $0.bind(number, at: 1)
                search?.bind($0, after: 1)
            }
        ) { statement in
            guard byteCount < Self.page.bytes else { return }
            count += 1
            limit = statement.int64(at: 2)
            guard try filter.match(statement) != nil, let body = statement.bytes(at: 1) else { return }
            byteCount += body.count
            rows.append(Row(body: body, id: DocumentKey.value(of: statement.text(at: 0))))
        }
        last = count == 0 ? nil : limit
    }
}
