/// A live document with the content of its row, for code that enumerates a collection and changes its documents.
package struct StoredDocument: Sendable {
    /// The document's id.
    package let id: String
    /// The properties in JSONB.
    package let body: [UInt8]
    /// The time at which the document expires, in milliseconds since 1970; nil for never.
    let expires: Int64?
    let head: DocumentHead

    /// The document's number, which doesn't change.
    package var number: Int64 { head.number }
    /// The position of the document's last change among all changes of the collection.
    package var sequence: Int64 { head.sequence }

    fileprivate static let columns = "number, sequence, flags, revision, tree, body, id, expires"

    /// Creates a document from the row that a statement over ``columns`` has found.
    fileprivate init(_ statement: borrowing PreparedStatement) throws {
        head = try statement.head()
        body = statement.bytes(at: 5) ?? Document.emptyBody
        id = try statement.documentID(at: 6)
        expires = statement.optionalInt64(at: 7)
    }
}

extension Collection {
    /// Returns the next live documents in the order of their numbers, until their bodies have `byteLimit` bytes in
    /// total.
    ///
    /// - Parameters:
    ///   - number: the number after which the documents begin.
    ///   - last: the greatest number.
    ///   - limit: the maximum number of documents.
    ///   - byteLimit: the number of bytes of bodies after which no further document is read.
    /// - Returns: the documents; empty after the last one.
    /// - Throws: `corruptData`, `notOpen`, and errors of the storage.
    package func storedDocuments(
        after number: Int64, through last: Int64 = .max, limit: Int = 256, byteLimit: Int = 1 << 20
    ) throws -> [StoredDocument] {
        try database.reading { connection in
            let statement = try PreparedStatement(
                connection,
                """
                SELECT \(StoredDocument.columns) FROM \(self.sql.table)
                WHERE number > ?1 AND number <= ?2 ORDER BY number LIMIT ?3
                """, max(number, 0), last, limit)
            var documents: [StoredDocument] = []
            var byteCount = 0
            while byteCount < byteLimit, try statement.step() {
                let document = try StoredDocument(statement)
                guard document.number > documents.last?.number ?? max(number, 0) else {
                    throw DatabaseError.disorder("numbers", in: self.sql.table)
                }
                byteCount += document.body.count
                documents.append(document)
            }
            return documents
        }
    }

    /// Returns the document with an id and the content of its row; nil if there is none or it is deleted.
    package func storedDocument(id: String) throws -> StoredDocument? {
        try database.reading {
            try $0.first("SELECT \(StoredDocument.columns) FROM \(self.sql.table) WHERE id = ?1 AND number > 0", id) {
                try StoredDocument($0)
            }
        }
    }

    /// Returns the sequence of the collection's last change, and the greatest number that a document or tombstone has.
    ///
    /// - Throws: `notOpen` if the collection was deleted.
    package func lastPlaces() throws -> (sequence: Int64, number: Int64) {
        let last = try database.reading { try self.lastRow($0) }
        return (last.sequence, last.number)
    }

    // MARK: - Changes of documents that the calling thread's transaction has read, by their rows

    // Only `move` calls guards.

    /// Replaces a document's properties, which makes a new revision as a save does, but without the checks of guards.
    package func rewrite(_ document: StoredDocument, to body: [UInt8]) throws {
        try database.writer.perform(database) { transaction in
            transaction.noteRead(document, in: self)
            _ = try transaction.update(document.head, Transaction.Change(id: document.id, body: body), in: self)
        }
    }

    /// Removes a document without leaving a tombstone.
    package func remove(_ document: StoredDocument) throws {
        try database.writer.perform(database) { transaction in
            transaction.noteRead(document, in: self)
            try transaction.removeRow(document.id, document.head, in: self)
        }
    }

    /// Moves a document to another id: it gets a new history and number and keeps its expiration. The tombstone of a
    /// deleted document with that id is removed. Guards check the document under the new id, as in a save.
    ///
    /// - Returns: false if there is a document with that id; then nothing is changed.
    /// - Throws: the errors of a save; then nothing is changed either.
    package func move(_ document: StoredDocument, to id: String, body: [UInt8]) throws -> Bool {
        try database.writer.perform(database) { transaction in
            let head = try transaction.head(id, in: self)
            guard head?.flags.contains(.deleted) ?? true else { return false }
            try transaction.savepoint {
                if let head { try transaction.removeRow(id, head, in: self) }
                try self.remove(document)
                _ = try transaction.store(Transaction.Change(id: id, body: body), in: self)
                if let expires = document.expires { _ = try transaction.setExpiration(id, expires, in: self) }
            }
            return true
        }
    }
}

extension Transaction {
    fileprivate func noteRead(_ document: StoredDocument, in collection: Collection) {
        lastRead = (collection.number, document.id, document.head, document.body)
    }
}
