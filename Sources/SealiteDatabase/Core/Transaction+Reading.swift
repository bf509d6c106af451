internal import GRDB
internal import SealiteJSON
internal import SealiteRevisions

// Reading the rows of documents in a transaction.
extension Transaction {
    /// Returns the columns of the row of a document or tombstone besides its body; nil if there is no such row.
    func head(_ id: String, in collection: Collection) throws -> DocumentHead? {
        if let lastRead, lastRead.collection == collection.number, ExactText.areSame(lastRead.id, id) {
            return lastRead.head
        }
        let readsBody = state(of: collection)?.readsOldBodies ?? false
        let statement =
            readsBody
            ? try readingStatement(collection) : try PreparedStatement(connection, collection.sql.selectHead)
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        let head = try statement.head()
        if readsBody { lastRead = (collection.number, id, head, statement.bytes(at: 5)) }
        return head
    }

    /// Returns the properties of a document's current revision in JSONB; nil for a tombstone without properties.
    func body(_ head: DocumentHead, in collection: Collection) throws -> [UInt8]? {
        let statement = try PreparedStatement(connection, collection.sql.selectBody)
        statement.bind(head.key, at: 1)
        return try statement.step() ? statement.bytes(at: 0) : nil
    }
}

extension PreparedStatement {
    /// Returns the columns of a row that `CollectionSQL.selectHead` or `selectAll` found.
    ///
    /// - Throws: `corruptData` if the number, the sequence or the revision id is damaged.
    @inline(__always)
    borrowing func head() throws -> DocumentHead {
        DocumentHead(
            number: abs(try documentNumber(at: 0)), sequence: try sequence(at: 1),
            flags: RowFlags(rawValue: int64(at: 2)),
            revision: try revision(at: 3), tree: bytes(at: 4))
    }

    /// Returns the revision id in a column.
    ///
    /// - Throws: `corruptData` if it is damaged.
    @inline(__always)
    borrowing func revision(at column: CInt) throws -> RevisionID {
        let revision = withBytes(at: column) { RevisionID(stored: $0, from: 0, to: $0.count) }
        guard let revision else { throw DatabaseError(.corruptData, "a stored revision id is damaged") }
        return revision
    }
}
