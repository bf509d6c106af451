internal import SealiteValues

/// The documents of one collection, in one snapshot or one transaction.
protocol DocumentSource {
    /// Calls `body` with each document that fulfils a filter, in natural order or in its reverse, until it returns
    /// false.
    ///
    /// `body` mustn't change documents.
    func visit(
        _ filter: Filter, isReversed: Bool, _ body: (Row, FilterMatch) throws -> Bool
    ) throws

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
