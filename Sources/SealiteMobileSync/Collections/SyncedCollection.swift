internal import SealiteDatabase
public import SealiteMongo
public import SealiteValues

/// The synced documents of a collection: which they are, and how they are read and written.
///
/// ```swift
/// let notes = try store.collection("notes", as: Note.self)
/// await MobileSync.of(database).connect(to: MobileSyncRemote(url) { $0.authenticator = authenticator })
/// try await notes.sync.configure(conflictHandler: .remoteWins(), changeEventDelegate: nil, errorListener: nil)
/// try await notes.sync.syncOne("shopping")
/// try await notes.sync.insertOne(Note(text: "milk"))
/// ```
public struct SyncedCollection<T: Codable & Sendable>: Sendable {
    let collection: MongoCollection<T>
    let documents: SyncedDocuments

    init(_ collection: MongoCollection<T>) {
        var collection = collection
        collection.isSynced = true
        self.collection = collection
        documents = SyncedDocuments(collection.collection)
    }

    private var database: Database { collection.collection.database }

    // MARK: - Configuring

    /// Begins to sync the collection, and has it written by its sync alone as long as any document is synced. Called again it replaces the handlers.
    ///
    /// - Parameters:
    ///   - conflictHandler: decides conflicts; without one they wait.
    ///   - changeEventDelegate: gets the changes; without one they aren't kept.
    ///   - errorListener: gets what keeps documents from being synced.
    /// - Throws: what the storage throws.
    public func configure(
        conflictHandler: (any ConflictHandler<T>)?, changeEventDelegate: (any ChangeEventDelegate<T>)? = nil,
        errorListener: (any ErrorListener)? = nil
    ) async throws {
        let handlers = SyncHandlers(
            collection.collection, of: T.self, conflictHandler, changeEventDelegate, errorListener)
        try await MobileSync.of(database).configure(collection.collection, handlers)
    }

    /// Configures the sync with closures in place of a handler, a delegate and a listener. Called again, it replaces them.
    public func configure(
        conflictHandler:
            @escaping @Sendable (
                _ documentID: BSON, _ localEvent: ChangeEvent<T>, _ remoteEvent: ChangeEvent<T>
            ) async throws -> T?,
        changeEventDelegate: (@Sendable (_ documentID: BSON, _ event: ChangeEvent<T>) async -> Void)? = nil,
        errorListener: (@Sendable (_ error: MobileSyncError, _ documentID: BSON?) async -> Void)? = nil
    ) async throws {
        try await configure(
            conflictHandler: ClosureHandler(body: conflictHandler),
            changeEventDelegate: changeEventDelegate.map { ClosureDelegate(body: $0) },
            errorListener: errorListener.map { ClosureListener(body: $0) })
    }

    // MARK: - The set

    /// Syncs a document from now on, whether it is here, at the remote, or nowhere yet.
    public func syncOne(_ id: BSON) async throws { try await syncMany([id]) }

    /// Syncs documents from now on.
    public func syncMany(_ ids: [BSON]) async throws {
        let keys = try ids.map { try DocumentKey.text(of: $0) }
        try await database.write { _ in try documents.add(keys) }
    }

    /// Syncs a document no more: it is removed here, with what wasn't sent, and stays at the remote.
    public func desyncOne(_ id: BSON) async throws { try await desyncMany([id]) }

    /// Syncs documents no more.
    public func desyncMany(_ ids: [BSON]) async throws {
        let keys = try ids.flatMap { try DocumentKey.candidates(for: $0) }
        try await database.write { _ in try documents.remove(keys) }
    }

    /// The `_id`s of the synced documents, also of those that are nowhere yet.
    public var syncedIds: Set<BSON> {
        get async throws { try await ids { _ in true } }
    }

    /// The `_id`s of the documents that are paused.
    public var pausedIds: Set<BSON> {
        get async throws { try await ids { $0.pause != nil } }
    }

    /// The `_id`s of the documents with a change that the remote hasn't got.
    public var uncommittedIds: Set<BSON> {
        get async throws { try await ids { $0.pending != nil } }
    }

    /// Syncs a document that was paused, beginning with what it has missed.
    ///
    /// - Returns: false where the document isn't synced.
    @discardableResult
    public func resumeSync(forDocumentID id: BSON) async throws -> Bool {
        let keys = try DocumentKey.candidates(for: id)
        return try await database.write { _ in try keys.contains { try documents.resume($0) } }
    }

    private func ids(_ isWanted: @Sendable (SyncRecord) -> Bool) async throws -> Set<BSON> {
        let records = try await database.read { try documents.records() }
        return Set(records.filter { isWanted($0.record) }.map { DocumentKey.value(of: $0.id) })
    }

    // MARK: - Other documents

    /// A filter that only synced documents fulfil, where the collection has others.
    func restricted(_ filter: MongoDocument) async throws -> MongoDocument {
        guard let ids = try await idsBesideOthers() else { return filter }
        return ["$and": [.document(filter), .document(Self.among(ids))]]
    }

    /// The `_id`s of the synced documents, where the collection has others or never had a synced one.
    func idsBesideOthers() async throws -> [BSON]? {
        try await database.read {
            guard let space = try documents.space() else { return [] }
            return space.hasOthers ? try documents.records().map { DocumentKey.value(of: $0.id) } : nil
        }
    }

    /// A filter for `_id`s, from which an upsert takes none.
    static func among(_ ids: [BSON]) -> MongoDocument {
        ["_id": ["$in": .array(ids.count == 1 ? ids + ids : ids)]]
    }
}

extension MongoCollection {
    /// The documents of the collection that are synced one by one.
    public var sync: SyncedCollection<T> { SyncedCollection(self) }
}
