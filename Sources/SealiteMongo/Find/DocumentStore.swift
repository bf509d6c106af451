internal import SealiteValues

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
