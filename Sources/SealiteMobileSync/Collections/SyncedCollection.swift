internal import SealiteDatabase
public import SealiteMongo
public import SealiteValues

/// The synced documents of a collection: their selection, and reading and writing them.
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

    /// Starts syncing the collection, and sets its handlers. While any document of the collection is synced, the
    /// collection's documents can be written only through ``SyncedCollection``. A further call replaces the handlers.
    ///
    /// - Parameters:
    ///   - conflictHandler: resolves conflicts; without one, conflicts stay unresolved.
    ///   - changeEventDelegate: receives change events; without one, they aren't stored.
    ///   - errorListener: receives the errors that keep documents from being synced.
    /// - Throws: errors of the database.
    public func configure(
        conflictHandler: (any ConflictHandler<T>)?, changeEventDelegate: (any ChangeEventDelegate<T>)? = nil,
        errorListener: (any ErrorListener)? = nil
    ) async throws {
        let handlers = SyncHandlers(
            collection.collection, of: T.self, conflictHandler, changeEventDelegate, errorListener)
        try await MobileSync.of(database).configure(collection.collection, handlers)
    }

    /// Starts syncing the collection, with closures instead of a handler, a delegate and a listener. The closure that
    /// resolves a conflict returns the document to store both locally and at the remote; nil deletes it on both sides.
    /// A further call replaces the closures.
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

    /// Adds a document to the synced documents, whether or not it exists locally or at the remote.
    public func syncOne(_ id: BSON) async throws { try await syncMany([id]) }

    /// Adds documents to the synced documents, whether or not they exist locally or at the remote.
    public func syncMany(_ ids: [BSON]) async throws {
        let keys = try ids.map { try DocumentKey.text(of: $0) }
        try await database.write { _ in try documents.add(keys) }
    }

    /// Removes a document from the synced documents: it is removed locally, including unsent changes, and stays at the
    /// remote.
    public func desyncOne(_ id: BSON) async throws { try await desyncMany([id]) }

    /// Removes documents from the synced documents: they are removed locally, including unsent changes, and stay at the
    /// remote.
    public func desyncMany(_ ids: [BSON]) async throws {
        let keys = try ids.flatMap { try DocumentKey.candidates(for: $0) }
        try await database.write { _ in try documents.remove(keys) }
    }

    /// The `_id`s of the synced documents, including those that don't exist yet.
    public var syncedIds: Set<BSON> {
        get async throws { try await ids { _ in true } }
    }

    /// The `_id`s of the documents that are paused: they are synced, but not sent or received after an error.
    public var pausedIds: Set<BSON> {
        get async throws { try await ids { $0.pause != nil } }
    }

    /// The `_id`s of the documents with changes that the remote hasn't received.
    public var uncommittedIds: Set<BSON> {
        get async throws { try await ids { $0.pending != nil } }
    }

    /// Resumes syncing a paused document, and fetches the remote's current document.
    ///
    /// - Returns: false if the document isn't synced.
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

    /// Returns a filter restricted to synced documents; the filter itself if all documents of the collection are
    /// synced.
    func restricted(_ filter: MongoDocument) async throws -> MongoDocument {
        guard let ids = try await idsBesideOthers() else { return filter }
        return ["$and": [.document(filter), .document(Self.among(ids))]]
    }

    /// Returns the `_id`s of the synced documents if the collection may contain other documents or never had a synced
    /// one; nil if all documents of the collection are synced.
    func idsBesideOthers() async throws -> [BSON]? {
        try await database.read {
            guard let space = try documents.space() else { return [] }
            return space.hasOthers ? try documents.records().map { DocumentKey.value(of: $0.id) } : nil
        }
    }

    /// Returns a filter for documents with one of the `_id`s, in a form from which an upsert doesn't take an `_id` for
    /// the document that it inserts.
    static func among(_ ids: [BSON]) -> MongoDocument {
        ["_id": ["$in": .array(ids.count == 1 ? ids + ids : ids)]]
    }
}

extension MongoCollection {
    /// The documents of the collection that are synced individually, selected by their `_id`s.
    public var sync: SyncedCollection<T> { SyncedCollection(self) }
}

// Reading and writing synced documents. None of it uses the network.
extension SyncedCollection {
    /// Counts the synced documents that match a filter.
    public func count(
        _ filter: MongoDocument = [:], options: CountDocumentsOptions = CountDocumentsOptions()
    ) async throws -> Int { try await collection.countDocuments(restricted(filter), options: options) }

    /// Returns the synced documents that match a filter.
    public func find(
        _ filter: MongoDocument = [:], options: FindOptions = FindOptions()
    ) async throws -> FindSequence<T> { collection.find(try await restricted(filter), options: options) }

    /// Returns the first synced document that matches a filter; nil if there is none.
    public func findOne(
        _ filter: MongoDocument = [:], options: FindOneOptions = FindOneOptions()
    ) async throws -> T? { try await collection.findOne(restricted(filter), options: options) }

    /// Returns the results of an aggregation pipeline over the synced documents. If it writes to this collection, with
    /// `$out` or `$merge`, documents that it inserts are added to the synced documents.
    public func aggregate<Value: Codable & Sendable>(
        _ pipeline: [MongoDocument], options: AggregateOptions = AggregateOptions(),
        as type: Value.Type = MongoDocument.self
    ) async throws -> AggregateSequence<Value> {
        let first = try await idsBesideOthers().map { ["$match": .document(Self.among($0))] as MongoDocument }
        return collection.aggregate((first.map { [$0] } ?? []) + pipeline, options: options, as: type)
    }

    /// Inserts a document and adds it to the synced documents.
    ///
    /// - Throws: `MongoError` 11000 if a document with its `_id` exists.
    @discardableResult
    public func insertOne(_ value: T) async throws -> InsertOneResult { try await collection.insertOne(value) }

    /// Inserts documents and adds them to the synced documents.
    ///
    /// - Throws: the errors of `MongoCollection.insertMany(_:options:)`.
    @discardableResult
    public func insertMany(
        _ values: [T], options: InsertManyOptions = InsertManyOptions()
    ) async throws -> InsertManyResult { try await collection.insertMany(values, options: options) }

    /// Updates the first synced document that matches a filter. A document inserted by an upsert is added to the synced
    /// documents.
    @discardableResult
    public func updateOne(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult { try await collection.updateOne(restricted(filter), update, options: options) }

    /// Updates all synced documents that match a filter. A document inserted by an upsert is added to the synced
    /// documents.
    @discardableResult
    public func updateMany(
        _ filter: MongoDocument, _ update: MongoDocument, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult { try await collection.updateMany(restricted(filter), update, options: options) }

    /// Replaces the first synced document that matches a filter, keeping its `_id`. A document inserted by an upsert is
    /// added to the synced documents.
    @discardableResult
    public func replaceOne(
        _ filter: MongoDocument, _ replacement: T, options: UpdateOptions = UpdateOptions()
    ) async throws -> UpdateResult {
        try await collection.replaceOne(restricted(filter), replacement, options: options)
    }

    /// Deletes the first synced document that matches a filter, locally and at the remote.
    @discardableResult
    public func deleteOne(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult { try await collection.deleteOne(restricted(filter), options: options) }

    /// Deletes all synced documents that match a filter, locally and at the remote.
    @discardableResult
    public func deleteMany(
        _ filter: MongoDocument, options: DeleteOptions = DeleteOptions()
    ) async throws -> DeleteResult { try await collection.deleteMany(restricted(filter), options: options) }
}
