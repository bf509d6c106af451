internal import SealiteBase
internal import Synchronization

/// Tells listeners about the changes of the state of per-document sync that one `Database` object commits, and knows
/// the collections that are configured for it: while any of their documents is synced, local writes must go through the
/// sync.
package final class SyncWatch: DatabasePart {
    private let news = Broadcast<[Int: SyncChanges]>()
    private let configured = Mutex<Set<Int>>([])

    init() {}

    /// Adds a listener that is called on the writer's queue after each commit of this `Database` object that added,
    /// removed or paused synced documents of a collection, made them stale, or stored events.
    ///
    /// - Returns: the closure that removes the listener.
    package func listen(
        to collection: Collection, _ listener: @escaping @Sendable (SyncChanges) -> Void
    ) -> @Sendable () -> Void {
        let number = collection.number
        return news.add { if let own = $0[number] { listener(own) } }
    }

    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) -> [any RowObserver] { last.isSynced ? [SyncObserver(self)] : [] }

    func didCommit(_ transaction: Transaction) {
        if !transaction.sync.news.isEmpty { news.tell(transaction.sync.news) }
    }

    func isConfigured(_ collection: Int) -> Bool { configured.withLock { $0.contains(collection) } }

    /// Makes the collection writable only through its sync, while any of its documents is synced.
    package func configure(_ collection: Collection) { configured.withLock { _ = $0.insert(collection.number) } }
}

extension Database {
    /// The database's ``SyncWatch``, which reports changes of the state of per-document sync.
    package var syncWatch: SyncWatch { attachments.object(SyncWatch.self) { SyncWatch() } }

    /// Runs `body` as one transaction, whose writes count as writes through per-document sync: documents that it
    /// inserts in the collection become synced documents.
    package func writeSynced<Result: Sendable>(
        _ collection: Collection, _ body: @Sendable (borrowing WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await write { transaction in
            _ = try transaction.transaction.madeSyncSpace(of: collection)
            let before = transaction.transaction.sync.isWriting
            transaction.transaction.sync.isWriting = true
            defer { transaction.transaction.sync.isWriting = before }
            return try body(transaction)
        }
    }
}

/// Updates the stored state of documents in per-document sync, and stores events for the application, in the
/// transaction that changes a document.
final class SyncObserver: RowObserver {
    private let watch: SyncWatch
    private var record: SyncRecord?

    init(_ watch: SyncWatch) { self.watch = watch }

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        let isLocal = !change.isIncoming && change.new != nil
        if isLocal, !transaction.sync.isWriting { try checkIsFree(change.collection, transaction) }
        record = try transaction.syncRecord(change.id, in: change.collection)
        let appears = change.old?.liveBody == nil && change.new?.liveBody != nil
        if record == nil, isLocal, appears, transaction.sync.isWriting { record = SyncRecord() }
        return record != nil || appears
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        let collection = change.collection
        guard let record = record.take() else { return try noteOther(collection, transaction) }
        guard let new = change.new else { return try transaction.removeSyncRecord(change.id, in: collection) }
        let (before, after) = (change.old?.liveBody, new.liveBody)
        let isAtRemote = try change.isIncoming && isAtRemote(new, collection, transaction)
        if let old = change.old, old.revision == new.revision {
            if isAtRemote { try transaction.settle(record, change.id, after, in: collection) }
        } else if isAtRemote {
            try taken(record, change.id, before, after, collection, transaction)
        } else if let theirs = transaction.sync.theirs {
            try resolved(record, change.id, before, after, theirs, collection, transaction)
        } else {
            try written(record, change, before, after, transaction)
        }
    }

    /// Throws `collectionIsSynced` if the collection has synced documents and may be written only through its sync
    /// (``SyncWatch/configure(_:)``). Called for a local write that isn't made in ``Database/writeSynced(_:_:)``.
    private func checkIsFree(_ collection: Collection, _ transaction: Transaction) throws {
        guard watch.isConfigured(collection.number),
            try transaction.hasSyncRecords(in: collection)
        else { return }
        throw DatabaseError(
            .collectionIsSynced,
            "the documents of the collection \"\(collection.fullName)\" are synced individually, and can be written only by collection.sync",
            hint: "write with the methods of collection.sync, or desync all ids of the collection")
    }

    private func noteOther(_ collection: Collection, _ transaction: Transaction) throws {
        guard var space = try transaction.syncSpace(of: collection), !space.hasOthers else { return }
        space.hasOthers = true
        try transaction.store(space, of: collection)
    }

    private func isAtRemote(
        _ side: RowContent, _ collection: Collection, _ transaction: Transaction
    ) throws -> Bool {
        guard let remote = try transaction.syncSpace(of: collection)?.remote else { return false }
        let tree = try RevisionTree(
            stored: side.tree, current: side.revision, isDeleted: side.flags.contains(.deleted))
        return tree.remotes[remote] == 0
    }

    /// Updates the sync state of a document, and stores an event, after a change that made the remote's revision the
    /// current one.
    private func taken(
        _ record: SyncRecord, _ id: String, _ before: [UInt8]?, _ after: [UInt8]?, _ collection: Collection,
        _ transaction: Transaction
    ) throws {
        guard let after else {
            // A tombstone of a document that never existed locally is no change; the id stays in the set.
            guard before != nil || record.pending != nil else {
                guard record.pause != nil else { return }
                var record = record
                record.pause = nil
                return try transaction.store(record, id, in: collection)
            }
            try transaction.removeSyncRecord(id, in: collection)
            return try transaction.tell(
                .change(.delete, isCommitted: true, before: before, after: nil), of: id, in: collection)
        }
        if record.pending != nil || record.base != nil || record.pause != nil {
            var record = record
            (record.pending, record.base, record.pause) = (nil, nil, nil)
            try transaction.store(record, id, in: collection)
        }
        guard before != after || record.pending != nil else { return }
        try transaction.tell(
            .change(before == nil ? .replace : .update, isCommitted: true, before: before, after: after), of: id,
            in: collection)
    }

    /// Updates the sync state of a document, and stores an event, after a conflict was resolved to anything but the
    /// remote's revision. The result is a child of that revision, and a pending change.
    private func resolved(
        _ record: SyncRecord, _ id: String, _ before: [UInt8]?, _ after: [UInt8]?,
        _ theirs: (body: [UInt8], isDeleted: Bool),
        _ collection: Collection, _ transaction: Transaction
    ) throws {
        let wasPending = record.pending
        var record = record
        record.base = theirs.isDeleted ? nil : theirs.body
        record.pause = nil
        let operation: SyncOperation = after == nil ? .delete : theirs.isDeleted ? .insert : .update
        record.pending = operation
        try transaction.store(record, id, in: collection)
        // The remote's side of the conflict was a deletion, and the document stays a pending insertion.
        if wasPending == operation, operation == .insert, before == after { return }
        try transaction.tell(
            .change(operation, isCommitted: false, before: record.base, after: after), of: id, in: collection)
    }

    /// Updates the sync state of a document, and stores an event, after a change by a local write.
    private func written(
        _ record: SyncRecord, _ change: borrowing RowChange, _ before: [UInt8]?, _ after: [UInt8]?,
        _ transaction: Transaction
    ) throws {
        let collection = change.collection
        let operation: SyncOperation
        switch (before, after) {
        case (nil, nil): return
        case (nil, _): operation = .insert
        case (_, nil): operation = .delete
        case (let old?, let new?):
            if old == new, record.pause == nil { return }
            operation = transaction.isReplacing ? .replace : .update
        }
        var record = record
        if record.pending == .insert, operation == .delete, try wasNeverOffered(record, change, transaction) {
            return try transaction.removeSyncRecord(change.id, in: collection)
        }
        if record.pending == nil { record.base = before }
        if record.pause != nil {
            (record.pause, record.staleAt) = (nil, try transaction.staleMark(in: collection))
        }
        record.pending = SyncOperation.together(record.pending, operation) ?? .delete
        if record.pending == .insert, operation == .insert {
            record.insertedAt = try transaction.syncSpace(of: collection)?.sessions ?? 1
            // The document may be the first one of the set, for which syncing has to start.
            transaction.sync.note(.documents, of: collection)
        }
        try transaction.store(record, change.id, in: collection)
        try transaction.tell(
            .change(operation, isCommitted: false, before: before, after: after), of: change.id, in: collection)
    }

    /// Returns whether an inserted document can't have been sent to the remote, because no session with the remote was
    /// open since the insertion. Its deletion then needs no event and isn't sent.
    private func wasNeverOffered(
        _ record: SyncRecord, _ change: borrowing RowChange, _ transaction: Transaction
    ) throws -> Bool {
        guard let space = try transaction.syncSpace(of: change.collection), space.sessions.isMultiple(of: 2),
            space.sessions == record.insertedAt
        else { return false }
        guard let remote = space.remote, let old = change.old else { return true }
        return try RevisionTree(stored: old.tree, current: old.revision, isDeleted: false).remotes[remote] == nil
    }
}
