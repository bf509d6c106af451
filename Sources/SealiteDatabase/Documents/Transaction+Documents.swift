internal import SealiteRevisions

// Storing documents. Every method works in the current transaction and either completes or throws before it has changed
// a row, unless its comment mentions a savepoint.
extension Transaction {
    /// The content of a document's next revision.
    struct Change {
        var id: String
        var body: [UInt8]
        var isDeleted = false
        /// The revision that was edited; nil for a new document.
        var base: RevisionID?
        var control = ConcurrencyControl.lastWriteWins
    }

    /// Returns the document with an id; nil if there is none or it is deleted.
    func read(_ id: String, in collection: Collection) throws -> Document? {
        try requireAlive()
        lastRead = nil
        let statement = try readingStatement(collection)
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        return try read(statement, id, in: collection)
    }

    /// Returns the document with a positive number, which is the key of its row; nil if there is none or it is deleted.
    func read(number: Int64, in collection: Collection) throws -> Document? {
        try requireAlive()
        lastRead = nil
        let statement = try PreparedStatement(connection, collection.sql.selectNumber)
        statement.bind(number, at: 1)
        guard try statement.step() else { return nil }
        return try read(statement, statement.text(at: 6), in: collection)
    }

    /// Returns the document in the row that a statement has found, and keeps the row in `lastRead`; nil for a
    /// tombstone.
    private func read(
        _ statement: borrowing PreparedStatement, _ id: String, in collection: Collection
    ) throws -> Document? {
        let head = try statement.head()
        let body = statement.bytes(at: 5)
        lastRead = (collection.number, id, head, body)
        guard !head.flags.contains(.deleted) else { return nil }
        return Document(
            id: id, collection: collection, sequence: head.sequence, flags: head.flags, revision: head.revision,
            body: body ?? Document.emptyBody)
    }

    /// Returns whether a change based on the revision `base` (nil for a new document) conflicts with the stored
    /// document: its current revision is another one, or the document no longer exists. A new document doesn't conflict
    /// with a tombstone.
    func conflicts(_ id: String, _ base: RevisionID?, in collection: Collection) throws -> Bool {
        Self.conflicts(try head(id, in: collection), base)
    }

    private static func conflicts(_ head: DocumentHead?, _ base: RevisionID?) -> Bool {
        guard let head else { return base != nil }
        return base != head.revision && (base != nil || !head.flags.contains(.deleted))
    }

    /// Stores a change of a document and returns the document as stored; nil if the change's concurrency control
    /// forbids it because the stored document was changed meanwhile.
    ///
    /// - Throws: `notFound` for the deletion of a document that doesn't exist, `badDocumentID`, `documentTooLarge`,
    ///   `invalidParameter` for a reserved name, and the refusals of guards and indexes.
    func store(_ change: Change, in collection: Collection) throws -> Document? {
        try Names.checkID(change.id)
        var change = change
        if !guards.isEmpty, !change.isDeleted {
            // A change that conflicts isn't checked by guards.
            if change.control == .failOnConflict, try conflicts(change.id, change.base, in: collection) { return nil }
            try guardSave(&change, in: collection)
        }
        if change.base == nil, !change.isDeleted, try canInsertUnread(change.id, in: collection),
            let inserted = try insert(change, in: collection)
        {
            return inserted
        }
        try load(collection)
        let head = try head(change.id, in: collection)
        if head == nil, change.isDeleted {
            throw DatabaseError(.notFound, "there is no document \"\(change.id)\" to delete")
        }
        if change.control == .failOnConflict, Self.conflicts(head, change.base) { return nil }
        guard let head else { return try insert(change, in: collection) }
        return try update(head, change, in: collection)
    }

    /// Returns whether an insertion can be tried before the document is looked up: true unless the document exists and
    /// an observer compares a new row with those of other documents, which the document's own row isn't.
    private func canInsertUnread(_ id: String, in collection: Collection) throws -> Bool {
        guard try observers(of: collection).contains(where: { $0.refusesByOtherRows }) else { return true }
        return try head(id, in: collection) == nil
    }

    /// Inserts a new document and returns it; nil if the document or its tombstone exists.
    private func insert(_ change: Change, in collection: Collection) throws -> Document? {
        let revision =
            database.versioning == .trees
            ? try makeRevision(parent: nil, change) : try makeVersion(change, in: collection)
        let digests = try markedDigests(change, in: collection)
        let content = RowContent(
            flags: digests.isEmpty ? [] : .hasBlobs, revision: revision, body: change.body, tree: nil, digests: digests)
        guard let head = try insertRow(change.id, content, in: collection) else { return nil }
        return Document(
            id: change.id, collection: collection, sequence: head.sequence, flags: head.flags, revision: revision,
            body: change.body)
    }

    private func makeRevision(parent: RevisionID?, _ change: Change) throws -> RevisionID {
        try digester.revision(
            parent: parent, isDeleted: change.isDeleted, body: change.body,
            byteLimit: database.configuration.maximumDocumentByteCount)
    }

    /// Returns the digests of the blobs in the body of a change, whose revision the digester has just computed.
    ///
    /// - Throws: `invalidParameter` if the body has a reserved name.
    private func markedDigests(_ change: Change, in collection: Collection) throws -> [BlobDigest] {
        guard digester.sawMarkedName else { return [] }
        try BodyScanner.checkReservedNames(change.body) {
            guard let head = try head(change.id, in: collection) else { return [] }
            return try body(head, in: collection).map { [$0] } ?? []
        }
        return BodyScanner.blobDigests(change.body)
    }

    /// Stores a change as the current revision of an existing document or tombstone, and returns the document as
    /// stored.
    func update(_ head: DocumentHead, _ change: Change, in collection: Collection) throws -> Document {
        guard let (oldBases, rest) = DeltaBases.split(head.tree) else {
            throw DatabaseError(.corruptData, "the bases of deltas of the document \"\(change.id)\" are damaged")
        }
        let advanced =
            database.versioning == .trees
            ? try advancedTree(head, rest, change) : try advancedVersions(head, rest, change, in: collection)
        let bases = try bases(
            replacing: oldBases, of: head, oldBody: { try oldBody(head, in: collection) },
            by: (advanced.revision, change.body, change.isDeleted), remoteIDs: advanced.remoteIDs, in: collection)
        var digests = try markedDigests(change, in: collection)
        if !digests.isEmpty || head.flags.contains(.hasBlobs) {
            let others = advanced.bodies + bases.bodies(current: change.body)
            digests += others.flatMap { BodyScanner.blobDigests($0) }
        }
        let tree = bases.stored(before: advanced.stored)
        countBases(tree, after: head.tree)
        var flags: RowFlags = head.flags.intersection(.conflicted)
        if change.isDeleted { flags.insert(.deleted) }
        if !digests.isEmpty { flags.insert(.hasBlobs) }
        if !bases.isEmpty { flags.insert(.hasBases) }
        let isEmptyTombstone = change.isDeleted && change.body == Document.emptyBody
        let content = RowContent(
            flags: flags, revision: advanced.revision, body: isEmptyTombstone ? nil : change.body, tree: tree,
            digests: digests)
        let sequence = try replaceRow(change.id, head, by: content, in: collection)
        return Document(
            id: change.id, collection: collection, sequence: sequence, flags: flags, revision: advanced.revision,
            body: change.body)
    }

    /// Creates the revision that follows the current one. `stored` is the column `tree` without bases.
    private func advancedTree(_ head: DocumentHead, _ stored: [UInt8]?, _ change: Change) throws -> AdvancedTree {
        let revision = try makeRevision(parent: head.revision, change)
        let depth = max(database.configuration.maximumRevisionDepth, 1)
        if !head.flags.contains(.deleted),
            let line = RevisionTree.extendedLine(stored, by: head.revision, depth: depth)
        {
            return AdvancedTree(revision: revision, stored: depth > 1 ? line : nil)
        }
        var tree = try RevisionTree(
            stored: stored, current: head.revision, isDeleted: head.flags.contains(.deleted))
        tree.advance(to: revision, flags: change.isDeleted ? .deleted : [])
        tree.prune(depth: depth)
        return AdvancedTree(tree)
    }

    /// Removes a document without leaving a tombstone.
    ///
    /// - Returns: false if neither the document nor its tombstone exists.
    func purge(_ id: String, in collection: Collection) throws -> Bool {
        guard let head = try head(id, in: collection) else { return false }
        try removeRow(id, head, in: collection)
        return true
    }

    // MARK: - Guards

    /// Calls the guards' checks for a change of a document; a check may replace the body of the change, or throw to
    /// refuse it.
    func guardSave(_ change: inout Change, in collection: Collection) throws {
        let checks = try saveChecks(of: collection)
        guard !checks.isEmpty else { return }
        var save = DocumentSave(id: change.id, collection: collection, body: change.body, transaction: self)
        for check in checks { try check.check(&save) }
        change.body = save.body
    }

    /// Shows the guards a body that an application made to resolve a conflict, before the row changes. No failure here
    /// prevents the save.
    func noteMerge(_ body: [UInt8], id: String, in collection: Collection) {
        guard !guards.isEmpty, let checks = try? saveChecks(of: collection) else { return }
        for check in checks {
            check.note(DocumentSave(id: id, collection: collection, body: body, transaction: self))
        }
    }
}

extension DocumentSave {
    /// Reads and returns the stored body of the document; nil if there is no document, or a deleted one.
    package func oldBody() throws -> [UInt8]? { try transaction.read(id, in: collection)?.body }
}

extension WriteTransaction {
    /// Creates the checks of the guards again, because this transaction has changed data on which they depend.
    package func reloadGuards() { transaction.reloadSaveChecks() }

    /// Runs `body` without the guards that check saved documents, for changes whose result satisfies them, such as a
    /// migration.
    package func withoutGuards<Result>(_ body: () throws -> Result) rethrows -> Result {
        let guards = transaction.guards
        transaction.guards = []
        defer { transaction.guards = guards }
        return try body()
    }
}

/// The revision that follows a document's current one, and the rest of the document's history, without bases of deltas.
struct AdvancedTree {
    let revision: RevisionID
    /// The value of the column `tree`; nil if the row's other columns determine it.
    var stored: [UInt8]?
    /// The ids of the revisions that remotes are known to have.
    var remoteIDs: [RevisionID] = []
    /// The bodies in `stored`.
    var bodies: [[UInt8]] = []
}

extension AdvancedTree {
    init(_ tree: RevisionTree) {
        assert(tree.bases.isEmpty, "the bases are stored with the new body")
        self.init(
            revision: tree.current.id, stored: tree.stored, remoteIDs: tree.remoteIDs,
            bodies: tree.nodes.compactMap(\.body))
    }
}
