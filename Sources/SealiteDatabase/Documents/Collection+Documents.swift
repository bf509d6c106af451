internal import GRDB
internal import SealiteRevisions

extension Collection {
    // MARK: - Reading

    /// Returns the document with an id; nil if there is none or it is deleted.
    public func document(id: String) throws -> Document? {
        if let transaction = database.writer.current { return try transaction.read(id, in: self) }
        return try database.readers.readDocument(of: sql) { try self.document(id, $0) }
    }

    /// The asynchronous form of ``document(id:)``, which doesn't block the calling task's thread.
    public func document(id: String) async throws -> Document? {
        try await database.readers.read { try self.document(id, $0) }
    }

    /// Returns the documents of several ids, in the order of the ids, all from one snapshot of the database. Ids
    /// without a document are skipped.
    public func documents(ids: some Swift.Sequence<String>) throws -> [Document] {
        try database.read { try ids.compactMap { try self.document(id: $0) } }
    }

    /// The asynchronous form of ``documents(ids:)``, which doesn't block the calling task's thread.
    public func documents(ids: [String]) async throws -> [Document] {
        try await database.read { try ids.compactMap { try self.document(id: $0) } }
    }

    /// The document with an id; nil if there is none or it is deleted.
    public subscript(id: String) -> Document? {
        get throws { try document(id: id) }
    }

    /// Returns the document with a number, which is the key of its row, in the calling thread's transaction; nil if
    /// there is none or it is deleted.
    ///
    /// - Throws: `invalidParameter` outside of a transaction, and errors of the storage.
    package func document(number: Int64) throws -> Document? {
        guard let transaction = database.writer.current else {
            throw DatabaseError(.invalidParameter, "a document can be read by its number only in a transaction")
        }
        return try transaction.read(number: number, in: self)
    }

    func document(_ id: String, _ connection: GRDB.Database, includingDeleted: Bool = false) throws -> Document? {
        try document(id, try PreparedStatement(connection, sql.select), includingDeleted: includingDeleted)
    }

    /// Reads the document with an id by a statement of the text `CollectionSQL.select`; returns nil if there is none,
    /// or if it is deleted and `includingDeleted` is false.
    private func document(
        _ id: String, _ statement: borrowing PreparedStatement, includingDeleted: Bool = false
    ) throws -> Document? {
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        let isDeleted = RowFlags(rawValue: statement.int64(at: 1)).contains(.deleted)
        return includingDeleted || !isDeleted ? try document(id, in: statement) : nil
    }

    /// Creates the document in a row whose first columns are those of `CollectionSQL.select`.
    @inline(__always)
    func document(_ id: String, in row: borrowing PreparedStatement) throws -> Document {
        Document(
            id: id, collection: self, sequence: try row.sequence(at: 0), flags: RowFlags(rawValue: row.int64(at: 1)),
            revision: try row.revision(at: 2), body: row.bytes(at: 3) ?? Document.emptyBody)
    }

    // MARK: - Saving

    /// Saves a document, replacing the stored document if there is one, and updates the revision of `document`.
    ///
    /// - Returns: the document as saved.
    /// - Throws: `badDocumentID`, `documentTooLarge`, `invalidParameter` for a document of another collection, one that
    ///   can't be written as JSON or one with a reserved name, `refusedByIndex`, `indexNotCurrent`, `databaseTooNew`,
    ///   `collectionIsSynced`, and errors of the storage; then the document isn't stored.
    @discardableResult
    public func save(document: MutableDocument) throws -> Document {
        try Self.saved(try save(document: document, concurrencyControl: .lastWriteWins))
    }

    /// The asynchronous form of `save(document:)`, which doesn't block the calling task's thread.
    @discardableResult
    public func save(document: MutableDocument) async throws -> Document {
        try Self.saved(try await save(document: document, concurrencyControl: .lastWriteWins))
    }

    static func saved(_ outcome: SaveOutcome) throws(DatabaseError) -> Document {
        guard case .saved(let document) = outcome else {
            throw DatabaseError(.conflict, "the document was changed while it was being saved; nothing was stored")
        }
        return document
    }

    /// Saves a document; with `failOnConflict`, only if the stored document wasn't changed since `document` was read,
    /// or, for a new document, if no live document has its id.
    ///
    /// - Throws: the errors of `save(document:)`.
    @discardableResult
    public func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> SaveOutcome {
        try storeBlobs(of: document)
        return try database.writer.perform(database) { try self.save(document, concurrencyControl, $0) }
    }

    /// The asynchronous form of ``save(document:concurrencyControl:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) async throws -> SaveOutcome {
        try await storeBlobs(of: document)
        return try await database.writer.perform(database) { try self.save(document, concurrencyControl, $0) }
    }

    /// Saves a document; if the stored document was changed since `document` was read, or a live document has the id of
    /// a new one, `conflictHandler` decides. The handler receives the document to save, which it may change, and the
    /// stored document, nil if that was deleted or purged. It returns true to save; with false, nothing is stored and
    /// the outcome is a conflict.
    ///
    /// - Throws: the errors of `save(document:)`, and the errors of the handler; then nothing is stored.
    @discardableResult
    public func save(
        document: MutableDocument, conflictHandler: (MutableDocument, Document?) throws -> Bool
    ) throws -> SaveOutcome {
        try storeBlobs(of: document)
        return try database.writer.perform(database) { transaction in
            try self.save(document, conflictHandler, transaction)
        }
    }

    /// The asynchronous form of ``save(document:conflictHandler:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func save(
        document: MutableDocument, conflictHandler: @Sendable (MutableDocument, Document?) throws -> Bool
    ) async throws -> SaveOutcome {
        try await storeBlobs(of: document)
        return try await database.writer.perform(database) { transaction in
            try self.save(document, conflictHandler, transaction)
        }
    }

    private func save(
        _ document: MutableDocument, _ conflictHandler: (MutableDocument, Document?) throws -> Bool,
        _ transaction: Transaction
    ) throws -> SaveOutcome {
        // The lock is held, so the document can't change between the first attempt and the second.
        let outcome = try save(document, .failOnConflict, transaction)
        guard case .conflict(let existing) = outcome else { return outcome }
        guard try conflictHandler(document, existing) else { return outcome }
        return try save(document, .lastWriteWins, transaction)
    }

    func save(
        _ document: MutableDocument, _ control: ConcurrencyControl, _ transaction: Transaction
    ) throws -> SaveOutcome {
        let base = document.base
        try checkOwner(
            base?.collection, hint: "create a new document with the same properties for this collection")
        let blobs = document.editedBlobs
        if !blobs.isEmpty {
            // The check precedes the storing of blobs, so that a refused save stores none.
            if control == .failOnConflict, try transaction.conflicts(document.id, base?.revision, in: self) {
                return .conflict(existing: try self.document(document.id, transaction.connection))
            }
            for blob in blobs { try transaction.storeIfKnown(blob) }
        }
        var change = Transaction.Change(id: document.id, body: try document.encoded())
        change.base = base?.revision
        change.control = control
        guard let saved = try transaction.store(change, in: self) else {
            return .conflict(existing: try self.document(document.id, transaction.connection))
        }
        document.didSave(as: saved, in: transaction.outcome)
        return .saved(saved)
    }

    // MARK: - Access to documents by their bodies alone, for higher layers that read and write JSONB

    /// Replaces a document's body, its properties in JSONB, by one that is made from it, in one transaction, or in the
    /// transaction of the calling thread.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - make: makes the new body, valid JSONB, from the stored one, or from nil if there is no document. It returns
    ///     nil to change nothing.
    /// - Returns: true if the document was saved; false if `make` returned nil.
    /// - Throws: the errors of ``save(document:)-(MutableDocument)``, and the errors of `make`.
    @discardableResult
    package func replaceBody(id: String, _ make: ([UInt8]?) throws -> [UInt8]?) throws -> Bool {
        try database.writer.perform(database) { try self.replaceBody(id, make, $0) }
    }

    /// The asynchronous form of ``replaceBody(id:_:)``, which doesn't block the calling task's thread.
    @discardableResult
    package func replaceBody(id: String, _ make: @Sendable ([UInt8]?) throws -> [UInt8]?) async throws -> Bool {
        try await database.writer.perform(database) { try self.replaceBody(id, make, $0) }
    }

    private func replaceBody(
        _ id: String, _ make: ([UInt8]?) throws -> [UInt8]?, _ transaction: Transaction
    ) throws -> Bool {
        let stored = try transaction.read(id, in: self)
        guard let body = try make(stored?.body) else { return false }
        let change = Transaction.Change(id: id, body: body, base: stored?.revision)
        _ = try Collection.saved(try transaction.store(change, in: self).map { .saved($0) } ?? .conflict(existing: nil))
        return true
    }

    /// Stores the large blobs of a document that is about to be saved, before the transaction that saves the document.
    func storeBlobs(of document: MutableDocument) throws {
        let blobs = document.editedBlobs
        guard !blobs.isEmpty else { return }
        try database.storeLargeBlobs(blobs)
    }

    /// The asynchronous form of ``storeBlobs(of:)``, which doesn't block the calling task's thread.
    func storeBlobs(of document: MutableDocument) async throws {
        try await database.storeLargeBlobs(document.editedBlobs)
    }
}

/// The behavior of a save or deletion if the stored document was changed since the document to save was read.
public enum ConcurrencyControl: Sendable {
    /// The save or deletion replaces the stored document, even if that was changed meanwhile.
    case lastWriteWins
    /// If the stored document was changed meanwhile, or a live document has the id of a new one, nothing is stored, and
    /// the outcome is a conflict.
    case failOnConflict
}

/// The outcome of a save or deletion.
public enum SaveOutcome: Sendable {
    /// The change was stored. The value is the document as stored, a tombstone after a deletion.
    case saved(Document)
    /// Nothing was stored, because the document was changed since it was read, or because a live document has the id of
    /// a new one. The value is the stored document, nil if it was deleted or purged.
    case conflict(existing: Document?)

    /// A Boolean value that says whether the change was stored.
    public var isSaved: Bool { if case .saved = self { true } else { false } }
}

/// The revisions that an edited document was read as or saved as. A save counts unless its transaction is rolled back;
/// after a rollback the document has the revision from before.
struct SavedRevisions: Sendable {
    /// A revision that the document was read as or saved as, with its collection and sequence.
    struct Base: Sendable {
        let collection: Collection
        let revision: RevisionID
        let sequence: Int64

        init(_ document: Document) {
            collection = document.collection
            revision = document.revision
            sequence = Int64(document.sequence)
        }
    }

    /// The revisions before the last save, in a class because a structure can't contain itself.
    private final class Earlier: Sendable {
        let history: SavedRevisions
        init(_ history: SavedRevisions) { self.history = history }
    }

    private var base: Base?
    /// The outcome of the save's transaction; nil for a document that was read.
    private var outcome: TransactionOutcome?
    private var earlier: Earlier?

    init() {}

    init(_ document: Document) { base = Base(document) }

    /// The revision that the next save replaces: the last one that wasn't rolled back; nil for a document that was
    /// never saved.
    var current: Base? {
        guard let outcome, outcome.isUndone else { return base }
        return earlier?.history.current
    }

    /// Records that the document was saved in the transaction with an outcome.
    mutating func add(_ document: Document, _ outcome: TransactionOutcome) {
        if self.outcome !== outcome {
            tidy()
            earlier = base == nil ? nil : Earlier(self)
            self.outcome = outcome
        }
        base = Base(document)
    }

    /// Discards saves that were rolled back, saves that can no longer be rolled back, and all but the last save of a
    /// transaction. So the history is never longer than the nesting of transactions.
    private mutating func tidy() {
        while let undone = outcome, undone.isUndone { self = earlier?.history ?? SavedRevisions() }
        outcome = outcome?.pending
        if outcome == nil { earlier = nil }
        while let before = earlier?.history, before.outcome?.pending === outcome { earlier = before.earlier }
    }

    /// The number of states in the history: the current one, and those to which rollbacks return.
    var length: Int { 1 + (earlier?.history.length ?? 0) }
}
