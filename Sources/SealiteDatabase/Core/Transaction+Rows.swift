internal import SealiteRevisions

// The only code that inserts, updates and removes documents' rows; it calls the collection's observers. Each method
// either completes or throws without an effect.
extension Transaction {
    /// Inserts a document's row with the next number and sequence of its collection.
    ///
    /// - Returns: the row's columns; nil if the collection has a row with that id.
    func insertRow(_ id: String, _ content: RowContent, in collection: Collection) throws -> DocumentHead? {
        lastRead = nil
        let (number, sequence) = try nextRow(collection)
        let head = DocumentHead(
            number: number, sequence: sequence, flags: content.flags, revision: content.revision, tree: content.tree)
        var content = content
        content.sequence = sequence
        let change = RowChange(collection: collection, id: id, number: number, old: nil, new: content)
        let isInserted = try observed(change) {
            let statement = try PreparedStatement(connection, collection.sql.insert)
            statement.bind(head.key, at: 1)
            statement.bind(id, at: 2)
            bind(content, to: statement, from: 3)
            try statement.run()
            return statement.changedRowCount == 1
        }
        guard isInserted else {
            returnRow(collection)
            return nil
        }
        return head
    }

    /// Replaces a document's row by one with the next sequence. If the change deletes or recreates the document, the
    /// sign of the row's number changes: tombstones have negative numbers.
    ///
    /// - Returns: the sequence of the new row.
    func replaceRow(
        _ id: String, _ head: DocumentHead, by content: RowContent, in collection: Collection
    ) throws -> Int64 {
        defer { lastRead = nil }
        var content = content
        content.sequence = try nextSequence(collection)
        let moves = head.flags.contains(.deleted) != content.flags.contains(.deleted)
        let change = RowChange(
            collection: collection, id: id, number: head.number, old: try oldContent(head, in: collection),
            new: content)
        _ = try observed(change) {
            let statement =
                moves
                ? try PreparedStatement(connection, collection.sql.move) : try updatingStatement(collection)
            statement.bind(head.key, at: 1)
            bind(content, to: statement, from: 2)
            try statement.run()
            guard statement.changedRowCount == 1 else {
                throw DatabaseError(
                    .corruptData,
                    "the row of the document \"\(id)\" is missing in \"\(collection.fullName)\", although it was just read"
                )
            }
            return true
        }
        return content.sequence
    }

    /// Replaces only the columns `tree` and `flags` of a document's row; the flag `deleted` stays as it is. This doesn't
    /// count as a change, and no subscriber is notified.
    func replaceTree(
        _ head: DocumentHead, by tree: [UInt8]?, _ flags: RowFlags, in collection: Collection
    ) throws {
        assert(flags.contains(.deleted) == head.flags.contains(.deleted), "a tombstone has another key")
        lastRead = nil
        try connection.run(collection.sql.updateTree, head.key, tree, flags.rawValue)
    }

    /// Sets the time at which a document expires, in milliseconds since 1970; nil for never.
    ///
    /// - Returns: false if there is neither a document nor a tombstone with this id.
    func setExpiration(_ id: String, _ expires: Int64?, in collection: Collection) throws -> Bool {
        guard try connection.run(collection.sql.updateExpiration, id, expires) == 1 else { return false }
        changedExpirations = true
        return true
    }

    /// Removes a document's row. The only trace of the document is the collection's count of purges.
    func removeRow(_ id: String, _ head: DocumentHead, in collection: Collection) throws {
        defer { lastRead = nil }
        try noteVersions(ofPurged: id, head, in: collection)
        let change = RowChange(
            collection: collection, id: id, number: head.number, old: try oldContent(head, in: collection), new: nil)
        try savepoint {
            _ = try observed(change) { try connection.run(collection.sql.delete, head.key) == 1 }
            try notePurge(PurgedDocument(id: id, number: head.number), sequence: head.sequence, in: collection)
        }
    }

    // MARK: - Observers

    /// Runs `body`, which changes a row and returns whether it did, and calls the observers that the change concerns.
    ///
    /// After the row is changed, only the disk or memory can cause a failure, and SQLite mostly ends the transaction
    /// then. A savepoint around each change would cost more than the change, so an error of an observer ends the
    /// transaction in every case.
    private func observed(_ change: borrowing RowChange, _ body: () throws -> Bool) throws -> Bool {
        let observers = try observers(of: change.collection)
        var concerned: [any RowObserver] = []
        for observer in observers where try observer.prepare(change, in: self) { concerned.append(observer) }
        guard try body() else { return false }
        do {
            for observer in concerned { try observer.apply(change, in: self) }
        } catch {
            connection.endTransaction("ROLLBACK")
            throw error
        }
        return true
    }

    private func oldContent(_ head: DocumentHead, in collection: Collection) throws -> RowContent {
        var content = RowContent(
            sequence: head.sequence, flags: head.flags, revision: head.revision, body: nil, tree: head.tree)
        guard !head.flags.contains(.deleted), state(of: collection)?.readsOldBodies ?? true else { return content }
        content.body = try oldBody(head, in: collection)
        return content
    }

    /// Returns the properties of a row that is about to be replaced; nil for a tombstone without properties.
    func oldBody(_ head: DocumentHead, in collection: Collection) throws -> [UInt8]? {
        if let lastRead, lastRead.collection == collection.number, lastRead.head.number == head.number,
            lastRead.head.sequence == head.sequence
        {
            return lastRead.body
        }
        return try body(head, in: collection)
    }

    private func bind(_ content: RowContent, to statement: borrowing PreparedStatement, from first: CInt) {
        assert(content.body != nil || content.flags.contains(.deleted), "only a tombstone has no properties")
        statement.bind(content.sequence, at: first)
        statement.bind(content.flags.rawValue, at: first + 1)
        statement.bind(content.revision.stored, at: first + 2)
        statement.bind(content.body, at: first + 3)
        statement.bind(content.tree, at: first + 4)
    }
}
