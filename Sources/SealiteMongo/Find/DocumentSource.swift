internal import SealiteValues

/// The documents of one collection, in one snapshot or one transaction.
protocol DocumentSource {
    /// Calls `body` with each document that fulfils a filter, in natural order or in its reverse, until it returns
    /// false.
    ///
    /// `body` mustn't change documents.
    func visit(_ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool) throws

    /// Calls `body` with the first documents of a sort order that fulfil a filter, in this order, until it returns
    /// false. `limit` is the number of documents that the caller needs; there may be more calls.
    func visit(_ filter: Filter, sortedBy order: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws

    /// Calls `body` with the `_id` of each document that fulfils a filter, in natural order, and with the result of the
    /// filter.
    func visitIDs(_ filter: Filter, _ body: (BSON, FilterMatch) throws -> Void) throws

    /// Returns the number of documents that fulfil a filter, at most `limit`, at which counting ends.
    func count(_ filter: Filter, limit: Int) throws -> Int

    /// Returns the document with an `_id`; nil if there is none.
    func document(id: BSON) throws -> Row?
}

extension DocumentSource {
    func visit(_ filter: Filter, sortedBy order: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws {
        try sort(filter, order, limit: limit, body)
    }

    /// Reads all documents that fulfil a filter, and calls `body` with the first `limit` ones of a sort order, until it
    /// returns false.
    func sort(_ filter: Filter, _ order: SortOrder, limit: Int, _ body: (Row) throws -> Bool) throws {
        var heap = SortHeap(order: order, limit: limit, WorkMeter())
        try visit(filter, isReversed: false) { row, _ in
            _ = try heap.add(row)
            return true
        }
        for row in try heap.sorted() where try !body(row) { return }
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

extension MongoError {
    /// Returns the error for a new document with the `_id` of an existing one.
    static func duplicateKey(in collection: String) -> MongoError {
        MongoError(
            code: 11000,
            "E11000: the collection \(collection) already has a document with this value in the index _id_.")
    }
}

/// The documents of one collection in a transaction that may change them.
protocol DocumentStore: DocumentSource {
    /// Inserts a document.
    ///
    /// - Throws: `MongoError` 11000 if a document with the same `_id` exists, or one with the same values in a unique
    ///   index.
    func insert(_ document: MongoDocument) throws

    /// Calls `body` with each document that fulfils a filter, in natural order. `body` may replace the document, and
    /// mustn't change anything else. The matching documents are determined before the first change.
    func visitToReplace(_ filter: Filter, _ body: (Row, FilterMatch) throws -> Void) throws

    /// Replaces a document by one with the same `_id`.
    func replace(_ row: Row, with document: MongoDocument) throws

    /// Replaces a document by one with the same `_id`; change streams report a replacement instead of an update.
    func replaceWhole(_ row: Row, with document: MongoDocument) throws

    /// Replaces the body of a document by another body in stored form.
    func replace(_ row: Row, withBody body: [UInt8]) throws

    /// Removes the document with an `_id`, if there is one.
    func remove(id: BSON) throws

    /// Runs `body` and returns its result; its changes are rolled back if it throws.
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
