internal import SealiteValues

/// The documents of one collection, as one state of a database has them or one transaction sees them.
protocol DocumentSource {
    /// Calls `body` with each document that fulfils a filter, in natural order or against it, until it returns false.
    ///
    /// Documents mustn't be changed by `body`.
    func visit(
        _ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool
    ) throws

    /// Calls `body` with the first documents of an order that fulfil a filter, in the order, until it returns false.
    func visit(_ filter: Filter, sortedBy order: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws

    /// Calls `body` with the `_id` of each document that fulfils a filter, in natural order.
    func visitIDs(_ filter: Filter, _ body: (BSON, FilterMatch) throws -> Void) throws

    /// The number of documents that fulfil a filter, counted up to a limit.
    func count(_ filter: Filter, limit: Int) throws -> Int

    /// Returns the document of an `_id`; nil if there is none.
    func document(id: BSON) throws -> Row?
}

extension DocumentSource {
    func visit(_ filter: Filter, sortedBy order: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws {
        try sort(filter, order, limit: limit, body)
    }

    /// Reads all documents that fulfil a filter, and calls `body` with the first ones of an order, until it returns false.
    func sort(_ filter: Filter, _ order: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws {
        var heap = SortHeap(order: order, limit: limit)
        try visit(filter, isReversed: false) { row, _ in
            _ = heap.add(row)
            return true
        }
        for row in heap.sorted() where try !body(row) { return }
    }

    func visitIDs(_ filter: Filter, _ body: (BSON, FilterMatch) throws -> Void) throws {
        try visit(filter, isReversed: false) { row, match in
            try body(row.id, match)
            return true
        }
    }

    func count(_ filter: Filter, limit: Int) throws -> Int {
        var count = 0
        guard limit > 0 else { return 0 }
        try visit(filter, isReversed: false) { _, _ in
            count += 1
            return count < limit
        }
        return count
    }
}

/// The documents of one collection that a transaction may change.
protocol DocumentStore: DocumentSource {
    /// Adds a document.
    ///
    /// - Throws: `MongoError` 11000 where there is a document of its `_id`.
    func insert(_ document: MongoDocument) throws

    /// Calls `body` with each document that fulfils a filter, in natural order; it may put another one in its place, and changes nothing else.
    /// What fulfils the filter is decided before anything is changed.
    func visitToReplace(_ filter: Filter, _ body: (Row, FilterMatch) throws -> Void) throws

    /// Puts a document in the place of another one with the same `_id`.
    func replace(_ row: Row, with document: MongoDocument) throws

    /// Puts a document in the place of another one as a whole: a replacement, which followers of changes tell from an update.
    func replaceWhole(_ row: Row, with document: MongoDocument) throws

    /// Puts a stored body in the place of a document's.
    func replace(_ row: Row, withBody body: [UInt8]) throws

    /// Removes a document.
    func remove(id: BSON) throws

    /// Runs `body`, all of whose changes are taken back when it throws.
    func nested<Result>(_ body: () throws -> Result) throws -> Result
}

extension DocumentStore {
    func replaceWhole(_ row: Row, with document: MongoDocument) throws { try replace(row, with: document) }

    func visitToReplace(_ filter: Filter, _ body: (Row, FilterMatch) throws -> Void) throws {
        var found: [(id: BSON, match: FilterMatch)] = []
        try visitIDs(filter) { found.append(($0, $1)) }
        for (id, match) in found {
            if let row = try document(id: id) { try body(row, match) }
        }
    }

    func replace(_ row: Row, withBody body: [UInt8]) throws {
        try replace(row, with: Row(body: body, id: row.id).document)
    }
}

extension MongoError {
    /// The `_id` of a new document is that of another one.
    static func duplicateKey(in collection: String) -> MongoError {
        MongoError(code: 11000, "E11000 duplicate key error collection: \(collection) index: _id_")
    }
}
