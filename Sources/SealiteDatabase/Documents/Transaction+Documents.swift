internal import GRDB
internal import SealiteJSON

// Storing documents. Every method works in the transaction that is under way and either does all it says or throws
// before it has changed a row, except where a savepoint says otherwise.
extension Transaction {
    /// What is known of a stored document without its body.
    struct Head {
        var sequence: Int64
        var flags: RowFlags
        var revision: RevisionID
        /// The tree column.
        var tree: [UInt8]?
    }

    /// What to store as a document's next revision.
    struct Change {
        var id: String
        var body: [UInt8]
        var isDeleted = false
        /// The revision that was edited; nil when the document is meant to be new.
        var base: RevisionID?
        var control = ConcurrencyControl.lastWriteWins
    }

    /// A document; nil when there is none or it is deleted.
    func read(_ id: String, in collection: Collection) throws -> Document? {
        try requireAlive()
        lastRead = nil
        let statement = try PreparedStatement(connection, collection.sql.selectAll)
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        let head = Head(
            sequence: statement.int64(at: 0), flags: RowFlags(rawValue: statement.int64(at: 1)),
            revision: try statement.revision(at: 2), tree: statement.bytes(at: 4))
        lastRead = (collection.number, id, head)
        guard !head.flags.contains(.deleted) else { return nil }
        return Document(
            id: id, collection: collection, sequence: head.sequence, flags: head.flags, revision: head.revision,
            body: statement.bytes(at: 3) ?? Document.emptyBody)
    }

    func head(_ id: String, in collection: Collection) throws -> Head? {
        if let lastRead, lastRead.collection == collection.number, ExactText.areSame(lastRead.id, id) {
            return lastRead.head
        }
        let statement = try PreparedStatement(connection, collection.sql.selectHead)
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        return Head(
            sequence: statement.int64(at: 0), flags: RowFlags(rawValue: statement.int64(at: 1)),
            revision: try statement.revision(at: 2), tree: statement.bytes(at: 3))
    }

    /// Whether a change of the revision `base`, nil for a new document, would meet another change.
    func conflicts(_ id: String, _ base: RevisionID?, in collection: Collection) throws -> Bool {
        Self.conflicts(try head(id, in: collection), base)
    }

    private static func conflicts(_ head: Head?, _ base: RevisionID?) -> Bool {
        guard let head else { return base != nil }
        return base != head.revision && (base != nil || !head.flags.contains(.deleted))
    }

    /// Stores a change; nil when control forbids it because the document was changed meanwhile.
    func store(_ change: Change, in collection: Collection) throws -> Document? {
        try Names.checkID(change.id)
        if change.base == nil, !change.isDeleted, let inserted = try insert(change, in: collection) {
            return inserted
        }
        let head = try head(change.id, in: collection)
        if head == nil, change.isDeleted {
            throw DatabaseError(.notFound, "there is no document \"\(change.id)\" to delete")
        }
        if change.control == .failOnConflict, Self.conflicts(head, change.base) { return nil }
        guard let head else { return try insert(change, in: collection) }
        return try update(head, change, in: collection)
    }

    /// Inserts a document that isn't there; nil when it is.
    private func insert(_ change: Change, in collection: Collection) throws -> Document? {
        let revision = try makeRevision(parent: nil, change)
        let digests = try markedDigests(change, in: collection)
        let flags: RowFlags = digests.isEmpty ? [] : .hasBlobs
        let isInserted = try atomically(digests.isEmpty) {
            let row = Row(
                sequence: try nextSequence(collection), flags: flags, revision: revision, body: change.body, tree: nil)
            guard try insert(row, id: change.id, in: collection) else { return false }
            if !digests.isEmpty { try setReferences(digests, of: change.id, in: collection) }
            return true
        }
        guard isInserted, let sequence = state(of: collection)?.lastSequence else { return nil }
        return Document(
            id: change.id, collection: collection, sequence: sequence, flags: flags, revision: revision,
            body: change.body)
    }

    /// Runs `body` in a savepoint unless it is one statement anyway.
    private func atomically<Result>(_ isSingleStatement: Bool, _ body: () throws -> Result) throws -> Result {
        isSingleStatement ? try body() : try savepoint(body)
    }

    /// The columns of a document's row that a revision changes.
    struct Row {
        var sequence: Int64
        var flags: RowFlags
        var revision: RevisionID
        var body: [UInt8]?
        var tree: [UInt8]?
    }

    /// Inserts a row; false, and the sequence is free again, when the document has one already.
    func insert(_ row: Row, id: String, in collection: Collection) throws -> Bool {
        lastRead = nil
        let statement = try PreparedStatement(connection, collection.sql.insert)
        statement.bind(row.sequence, at: 1)
        statement.bind(id, at: 2)
        statement.bind(row.flags.rawValue, at: 3)
        statement.bind(row.revision.stored, at: 4)
        statement.bind(row.body, at: 5)
        statement.bind(row.tree, at: 6)
        try statement.run()
        guard statement.changedRowCount == 1 else {
            returnSequence(collection)
            return false
        }
        return true
    }

    /// Replaces the row that has the sequence `replaced`.
    func update(_ replaced: Int64, to row: Row, in collection: Collection) throws {
        lastRead = nil
        let statement = try PreparedStatement(connection, collection.sql.update)
        statement.bind(replaced, at: 1)
        statement.bind(row.sequence, at: 2)
        statement.bind(row.flags.rawValue, at: 3)
        statement.bind(row.revision.stored, at: 4)
        statement.bind(row.body, at: 5)
        statement.bind(row.tree, at: 6)
        try statement.run()
    }

    private func makeRevision(parent: RevisionID?, _ change: Change) throws -> RevisionID {
        try digester.revision(
            parent: parent, isDeleted: change.isDeleted, body: change.body,
            byteLimit: database.configuration.maximumDocumentByteCount)
    }

    /// The blobs of the body that a revision was just made of.
    ///
    /// - Throws: `invalidParameter` when the body has a reserved name.
    private func markedDigests(_ change: Change, in collection: Collection) throws -> [BlobDigest] {
        guard digester.sawMarkedName else { return [] }
        try BodyScanner.checkReservedNames(change.body) {
            guard let head = try head(change.id, in: collection) else { return [] }
            return try body(head.sequence, in: collection).map { [$0] } ?? []
        }
        return BodyScanner.blobDigests(change.body)
    }

    /// Makes the change the current revision of a document that is there.
    private func update(_ head: Head, _ change: Change, in collection: Collection) throws -> Document {
        let revision = try makeRevision(parent: head.revision, change)
        let digests = try markedDigests(change, in: collection)
        var flags: RowFlags = head.flags.intersection(.conflicted)
        if change.isDeleted { flags.insert(.deleted) }
        let (tree, isLine) = try advancedTree(head, revision, isDeleted: change.isDeleted, in: collection)
        let touchesBlobs = !digests.isEmpty || head.flags.contains(.hasBlobs)
        let isEmptyTombstone = change.isDeleted && change.body == Document.emptyBody
        let sequence = try atomically(!touchesBlobs) {
            if touchesBlobs {
                let all = isLine ? digests : digests + (try blobDigests(inTree: tree, revision, change.isDeleted))
                if !all.isEmpty { flags.insert(.hasBlobs) }
                try setReferences(all, of: change.id, in: collection)
            }
            let sequence = try nextSequence(collection)
            let row = Row(
                sequence: sequence, flags: flags, revision: revision, body: isEmptyTombstone ? nil : change.body,
                tree: tree)
            try update(head.sequence, to: row, in: collection)
            return sequence
        }
        return Document(
            id: change.id, collection: collection, sequence: sequence, flags: flags, revision: revision,
            body: change.body)
    }

    /// The tree column after the current revision got a child, and whether it is a mere line.
    private func advancedTree(
        _ head: Head, _ revision: RevisionID, isDeleted: Bool, in collection: Collection
    ) throws -> (tree: [UInt8]?, isLine: Bool) {
        let depth = max(database.configuration.maximumRevisionDepth, 1)
        let stored = head.tree
        if !head.flags.contains(.deleted),
            let line = RevisionTree.extendedLine(stored, by: head.revision, depth: depth)
        {
            return (depth > 1 ? line : nil, true)
        }
        var tree = try RevisionTree(
            stored: stored, current: head.revision, isDeleted: head.flags.contains(.deleted))
        tree.advance(
            to: revision, flags: isDeleted ? .deleted : [],
            replacedBody: tree.remotes.values.contains(0) ? try body(head.sequence, in: collection) : nil)
        tree.prune(depth: depth)
        return (tree.stored, false)
    }

    func body(_ sequence: Int64, in collection: Collection) throws -> [UInt8]? {
        let statement = try PreparedStatement(connection, collection.sql.selectBody)
        statement.bind(sequence, at: 1)
        return try statement.step() ? statement.bytes(at: 0) : nil
    }

    /// Removes a document without a trace; false when there is none.
    func purge(_ id: String, in collection: Collection) throws -> Bool {
        guard let head = try head(id, in: collection) else { return false }
        lastRead = nil
        try savepoint {
            if head.flags.contains(.hasBlobs) { try setReferences([], of: id, in: collection) }
            try notePurge(id, sequence: head.sequence, in: collection)
            let statement = try PreparedStatement(connection, collection.sql.delete)
            statement.bind(head.sequence, at: 1)
            try statement.run()
        }
        return true
    }
}

extension PreparedStatement {
    /// The revision id in a column.
    ///
    /// - Throws: `corruptData`.
    @inline(__always)
    borrowing func revision(at column: CInt) throws -> RevisionID {
        let revision = withBytes(at: column) { RevisionID(stored: $0, from: 0, to: $0.count) }
        guard let revision else { throw DatabaseError(.corruptData, "a stored revision id is damaged") }
        return revision
    }
}
