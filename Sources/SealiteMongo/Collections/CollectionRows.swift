internal import SealiteDatabase
internal import SealiteValues

/// The rows of a collection for a pipeline, read in batches on the thread that asks for them, in this thread's
/// transaction or snapshot.
final class CollectionRows {
    private let collection: Collection
    private let filter: Filter
    /// The key ranges of an index in which documents are searched; nil if all documents are read.
    private let search: IndexSearch?
    private var rows: [Row] = []
    private var place = 0
    /// The row number of the last document that was read; 0 before the first one, nil after the last batch.
    private var last: Int64? = 0
    /// The row numbers of the documents that the index search finds after the first batch; nil until they are looked
    /// up.
    private var found: [Int64]?
    /// The index in `found` of the first row number whose document hasn't been read.
    private var foundPlace = 0

    /// The limits of a batch: the number of rows, and the bytes of bodies at which the batch ends.
    private static let page = (rows: 256, bytes: 1 << 20)

    private init(_ collection: Collection, _ filter: Filter) throws {
        (self.collection, self.filter) = (collection, filter)
        search = try ScanPlan.search(filter, collection)
    }

    /// Returns a cursor over the documents that fulfil a filter.
    static func cursor(_ collection: Collection, _ filter: Filter) throws -> RowCursor {
        guard filter.ids == nil, filter.text == nil else {
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
            rows.removeAll(keepingCapacity: true)
            place = 0
            if search != nil, last > 0 { try readFound(behind: last) } else { try read(behind: last) }
        }
        defer { place += 1 }
        return rows[place]
    }

    /// Reads a batch of the documents whose row numbers are above a given one: from the whole collection, or the first
    /// batch of those that the index search finds.
    private func read(behind number: Int64) throws {
        let condition = search.map { " AND \($0.condition(after: 1))" } ?? ""
        let page = try readPage(
            "WHERE number > ?1\(condition) ORDER BY number LIMIT \(Self.page.rows)",
            isKept: search?.isKept ?? true
        ) {
            $0.bind(number, at: 1)
            search?.bind($0, after: 1)
        }
        try move(from: number, to: page.isWhole && page.count < Self.page.rows ? nil : page.end)
    }

    /// Reads a further batch of the documents that the index search finds. The row numbers of all of them are looked up
    /// once: a search for each batch would take a time that is quadratic in their count.
    private func readFound(behind number: Int64) throws {
        let numbers = try found ?? self.numbers(behind: number)
        found = numbers
        while let next = numbers.dropFirst(foundPlace).first, next <= number { foundPlace += 1 }
        let due = numbers.dropFirst(foundPlace).prefix(Self.page.rows)
        guard let end = due.last else {
            last = nil
            return
        }
        let places = (1...Self.page.rows).map { "?\($0)" }.joined(separator: ", ")
        let page = try readPage("WHERE number IN (\(places)) ORDER BY number", isKept: true) { statement in
            for place in 0..<Self.page.rows {
                statement.bind(place < due.count ? due[due.startIndex + place] : end, at: CInt(place + 1))
            }
        }
        // Documents that were deleted after the row numbers were looked up have no rows.
        try move(from: number, to: page.isWhole ? end : page.end)
    }

    /// Sets the row number after which the next batch begins.
    ///
    /// - Throws: `corruptData` if it isn't above the present one, so that the batch would have the same rows again.
    private func move(from number: Int64, to next: Int64?) throws {
        if let next, next <= number {
            throw DatabaseError.disorder("numbers", in: "documents_\(collection.number)")
        }
        last = next
    }

    /// Returns the sorted row numbers, above a given one, of the documents that the index search finds.
    private func numbers(behind number: Int64) throws -> [Int64] {
        guard let search else { return [] }
        var numbers: [Int64] = []
        try collection.database.readRows(
            search.sqlForNumbers, isKept: search.isKept, bind: { search.bind($0, after: 0) }
        ) { statement in
            let found = statement.int64(at: 0)
            if found > number { numbers.append(found) }
        }
        return numbers.sorted()
    }

    /// Reads the rows of an SQL statement until the bodies of those that fulfil the filter reach the byte limit of a
    /// batch, and keeps these.
    ///
    /// - Returns: the number of rows that were read, also of those that don't fulfil the filter; the row number of the
    ///   last one, nil if there was none; and whether all rows of the SQL statement were read.
    private func readPage(
        _ conditions: String, isKept: Bool, bind: (borrowing PreparedStatement) -> Void
    ) throws -> (count: Int, end: Int64?, isWhole: Bool) {
        var (count, byteCount, end, isWhole) = (0, 0, Int64?.none, true)
        try collection.database.readRows(
            "SELECT id, body, number FROM documents_\(collection.number) \(conditions)", isKept: isKept, bind: bind
        ) { statement in
            guard byteCount < Self.page.bytes else {
                isWhole = false
                return
            }
            count += 1
            end = statement.int64(at: 2)
            guard try filter.match(statement) != nil else { return }
            let row = Row(statement)
            byteCount += row.bodyByteCount
            rows.append(row)
        }
        return (count, end, isWhole)
    }
}

/// The bodies of the documents that fulfil a filter, borrowed from SQLite without a copy, for readers that don't decode
/// whole documents.
struct BodyScan {
    private let collection: Collection
    private let filter: Filter
    /// The key ranges of an index in which documents are searched; nil if all documents are read.
    private let search: IndexSearch?

    /// Creates a scan; nil for a filter on the `_id`, which bodies don't contain.
    init?(_ filter: Filter, _ collection: Collection) throws {
        guard !filter.needsID, filter.near == nil else { return nil }
        (self.collection, self.filter) = (collection, filter)
        search = try ScanPlan.search(filter, collection)
    }

    /// Calls `body` with the body of each document that fulfils the filter, in natural order (by row number), even if
    /// an index finds the documents.
    func visit(_ body: (borrowing Span<UInt8>) throws -> Void) throws {
        let condition = search.map { "+number > 0 AND \($0.condition(after: 1))" } ?? "number > 0"
        try collection.database.visitBodies(
            from: "documents_\(collection.number) WHERE \(condition)", isKept: search?.isKept ?? true,
            bind: { search?.bind($0, after: 1) }
        ) { bytes in
            if try filter.match(bytes, id: nil) != nil { try body(bytes) }
        }
    }
}
