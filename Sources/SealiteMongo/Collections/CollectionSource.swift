internal import SealiteDatabase
internal import SealiteValues

/// Reads the documents of a collection within the calling thread's transaction or snapshot.
struct CollectionSource: DocumentSource {
    let collection: Collection

    /// Thrown by a row handler to stop a statement early; caught by the same method.
    private struct Enough: Error {}

    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) throws {
        let filter = try filter.resolved(in: collection)
        try scan(filter, isReversed: isReversed) { statement, match in
            let row = Row(statement)
            return try body(filter.matches?.scored(row) ?? row, match)
        }
    }

    func visit(_ filter: Filter, sortedBy sort: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws {
        guard filter.text == nil, let order = try IndexOrder.best(filter, sort, collection) else {
            return try self.sort(filter, sort, limit: limit, body)
        }
        var rows = OrderedRows(order, limit: limit)
        do {
            try collection.database.readRows(order.sql, isKept: true, bind: { order.bind($0) }) { statement in
                guard try filter.match(statement) != nil else { return }
                for row in try rows.add(statement) where try !body(row) { throw Enough() }
            }
            for row in try rows.finish() where try !body(row) { return }
        } catch is Enough {}
    }

    func visitIDs(_ filter: Filter, _ body: (BSON, FilterMatch) throws -> Void) throws {
        try scan(filter.resolved(in: collection), isReversed: false) { statement, match in
            try body(DocumentKey.value(of: statement.text(at: 0)), match)
            return true
        }
    }

    /// Calls `body` with the row number of each document that fulfils a filter, in natural order.
    func visitNumbers(_ filter: Filter, _ body: (Int64, FilterMatch) throws -> Void) throws {
        try scan(filter.resolved(in: collection), isReversed: false) { statement, match in
            try body(statement.int64(at: 2), match)
            return true
        }
    }

    /// Returns the first documents of a sort order that fulfil a filter without `$text`, at most `limit`.
    func sorted(_ filter: Filter, by order: SortOrder, limit: Int) throws -> BlockingSort.Sorted {
        assert(filter.text == nil, "documents that $text finds have scores, which statements don't return")
        var sort = BlockingSort(order, limit: limit)
        try scan(filter, isReversed: false) { statement, _ in
            try sort.add(statement)
            return true
        }
        return try sort.sorted()
    }

    func count(_ filter: Filter, limit: Int) throws -> Int {
        let filter = try filter.resolved(in: collection)
        var count = 0
        guard limit > 0 else { return 0 }
        if limit == .max, filter.ids == nil, let bodies = try BodyScan(filter, collection) {
            try bodies.visit { _ in count += 1 }
            return count
        }
        try scan(filter, isReversed: false) { _, _ in
            count += 1
            return count < limit
        }
        return count
    }

    func document(id: BSON) throws -> Row? {
        for key in (try? DocumentKey.candidates(for: id)) ?? [] {
            if let document = try collection.document(id: key) { return Row(document) }
        }
        return nil
    }

    /// Calls `body` with each row that fulfils a filter, until `body` returns false. Rows that don't fulfil the filter
    /// aren't copied.
    private func scan(
        _ filter: Filter, isReversed: Bool,
        _ body: (borrowing PreparedStatement, FilterMatch) throws -> Bool
    ) throws {
        if let near = filter.near { return try scan(filter, near, body) }
        let plan = try ScanPlan(filter, in: collection, isReversed: isReversed)
        do {
            try collection.database.readRows(plan.sql, isKept: plan.isKept, bind: { plan.bind($0) }) { row in
                guard let match = try filter.match(row), try !body(row, match) else { return }
                throw Enough()
            }
        } catch is Enough {}
    }

    /// Calls `body` with each row that fulfils a filter with `$near`, the nearest first, until `body` returns false.
    private func scan(
        _ filter: Filter, _ near: NearCondition, _ body: (borrowing PreparedStatement, FilterMatch) throws -> Bool
    ) throws {
        let cursor = try NearCursor(near, filter, in: collection, WorkMeter())
        let sql = "SELECT id, body, number FROM documents_\(collection.number) WHERE number = ?1"
        do {
            while let found = try cursor.next() {
                try collection.database.readRows(sql, bind: { $0.bind(found.number, at: 1) }) { row in
                    guard let match = try filter.match(row), try !body(row, match) else { return }
                    throw Enough()
                }
            }
        } catch is Enough {}
    }
}

extension Filter {
    /// Returns the match of a row whose first two columns are a document's ID and body; nil if the document doesn't
    /// fulfil the filter.
    func match(_ row: borrowing PreparedStatement) throws -> FilterMatch? {
        var id: BSON?
        if needsID { id = DocumentKey.value(of: row.text(at: 0)) }
        return try row.withBytes(at: 1) { body in try match(body, id: id) }
    }
}

extension Row {
    /// Creates a pipeline row that reads a stored document's body on demand.
    init(_ document: Document) { self.init(body: document.body, id: DocumentKey.value(of: document.id)) }

    /// Creates the row of a document from a statement whose first two columns are its ID and its body, which is decoded
    /// at once, without a copy, if `isDecoding`.
    init(_ row: borrowing PreparedStatement, isDecoding: Bool = false) {
        let id = DocumentKey.value(of: row.text(at: 0))
        if isDecoding {
            self.init(row.withBytes(at: 1) { MongoDocument(id: id, stored: $0) })
        } else {
            self.init(body: row.bytes(at: 1) ?? [], id: id)
        }
    }
}
