/// The documents of a collection in per-document sync, with their stored states and the events that aren't delivered
/// yet. The set of their ids is called the set of synced documents.
///
/// Its methods block; each is one transaction or reads one snapshot of the database.
package struct SyncedDocuments: Sendable {
    package let collection: Collection

    package init(_ collection: Collection) { self.collection = collection }

    private var database: Database { collection.database }

    private func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        try database.writer.perform(database) { try body($0) }
    }

    // MARK: - The space

    /// Returns the stored state of the collection's sync; nil if the collection never had a synced document.
    package func space() throws -> SyncSpace? {
        try database.localValue(store: SyncSpace.store, name: String(collection.number)).map { try SyncSpace($0.value) }
    }

    /// Changes the stored state of the collection's sync, which is created if there is none, and returns the result of
    /// `change`.
    package func changeSpace<Result>(_ change: (inout SyncSpace) -> Result) throws -> Result {
        try write { transaction in
            let old = try transaction.madeSyncSpace(of: collection)
            var space = old
            let result = change(&space)
            if space != old { try transaction.store(space, of: collection) }
            return result
        }
    }

    /// Records the number of the remote with which the documents are synced. If it differs from the previous one, all
    /// documents become stale: their revisions at the remote have to be looked up.
    package func setRemote(_ number: Int) throws {
        try write { transaction in
            var space = try transaction.madeSyncSpace(of: collection)
            guard space.remote != number else { return }
            if space.remote != nil {
                for (id, record) in try records() {
                    var record = record
                    record.staleAt = space.lookups
                    try transaction.store(record, id, in: collection)
                }
                space.mayBeStale = true
            }
            (space.remote, space.isCaughtUp) = (number, false)
            try transaction.store(space, of: collection)
        }
    }

    /// Records the beginning of a session with the remote, and returns the count to pass to ``endSession(_:)``.
    package func beginSession() throws -> UInt64 {
        try changeSpace { space in
            space.sessions += space.sessions.isMultiple(of: 2) ? 1 : 2
            return space.sessions
        }
    }

    /// Records the end of the session for which ``beginSession()`` returned `count`, unless another one has begun
    /// since.
    package func endSession(_ count: UInt64) throws {
        try changeSpace { if $0.sessions == count { $0.sessions += 1 } }
    }

    // MARK: - The set

    /// Returns the ids of all synced documents of the collection, with their stored states.
    package func records() throws -> [(id: String, record: SyncRecord)] {
        try database.reading {
            try $0.rows(
                "SELECT name, value FROM local_values WHERE store = ?1 ORDER BY name",
                Transaction.recordStore(collection)
            ) { row in (row.text(at: 0), try SyncRecord(row.bytes(at: 1) ?? [])) }
        }
    }

    /// Returns the stored sync state of the document with an id; nil if the document isn't synced.
    package func record(_ id: String) throws -> SyncRecord? {
        try database.localValue(store: Transaction.recordStore(collection), name: id).map { try SyncRecord($0.value) }
    }

    /// Returns the stored sync states of documents, in the order of `ids`; nil for a document that isn't synced.
    package func records(_ ids: [String]) throws -> [SyncRecord?] {
        try database.read { try ids.map { try record($0) } }
    }

    /// Returns whether no document of the collection is synced.
    package func isEmpty() throws -> Bool {
        try database.reading { try !$0.hasLocalValue(in: Transaction.recordStore(collection)) }
    }

    /// Returns the ids of the stale documents, those whose revision at the remote has to be looked up, except paused
    /// ones. Documents that are paused because the remote's couldn't be stored are included.
    package func staleIDs() throws -> [String] {
        guard try space()?.mayBeStale == true else { return [] }
        return try database.reading {
            try $0.rows(
                "SELECT name, value FROM local_values WHERE store = ?1 AND revision IS NOT NULL ORDER BY name",
                Transaction.recordStore(collection)
            ) { row in try SyncRecord(row.bytes(at: 1) ?? []).isSelected ? row.text(at: 0) : nil }
        }.compactMap { $0 }
    }

    /// Adds ids to the set of synced documents; ids that are in the set already are ignored. A document that exists
    /// locally becomes a pending insertion. The new ids are stale: the documents' revisions at the remote have to be
    /// looked up.
    ///
    /// - Throws: `badDocumentID`, and errors of the storage.
    package func add(_ ids: [String]) throws {
        try write { transaction in
            _ = try transaction.madeSyncSpace(of: collection)
            var mark: UInt64?
            for id in ids {
                try Names.checkID(id)
                guard try transaction.syncRecord(id, in: collection) == nil else { continue }
                var record = SyncRecord()
                mark = try mark ?? transaction.staleMark(in: collection)
                record.staleAt = mark
                let body = try transaction.read(id, in: collection)?.body
                if body != nil { record.pending = .insert }
                try transaction.store(record, id, in: collection)
                if let body {
                    try transaction.tell(
                        .change(.insert, isCommitted: false, before: nil, after: body), of: id, in: collection)
                }
            }
        }
    }

    /// Removes documents from the set of synced documents and purges them locally. The remote's documents stay.
    package func remove(_ ids: [String]) throws {
        try write { transaction in
            for id in ids where try transaction.syncRecord(id, in: collection) != nil {
                try transaction.removeSyncRecord(id, in: collection)
                _ = try transaction.purge(id, in: collection)
            }
        }
    }

    /// Removes a document from the set of synced documents and purges it locally, because of an error that ends its
    /// sync. Stores an event for the error and, if `tellsDeletion` is true and the document exists, an event for the
    /// deletion. If the document has local changes that the remote doesn't have, it is kept, and paused because of the
    /// error. Does nothing if the document isn't synced.
    ///
    /// - Returns: whether the document left the set.
    @discardableResult
    package func end(_ id: String, because pause: SyncPause, tellsDeletion: Bool) throws -> Bool {
        try write { transaction in
            guard let record = try transaction.syncRecord(id, in: collection) else { return false }
            if record.pending != nil {
                try self.pause(id, pause)
                return false
            }
            let body = try transaction.read(id, in: collection)?.body
            try remove([id])
            if tellsDeletion, let body {
                try transaction.tell(
                    .change(.delete, isCommitted: true, before: body, after: nil), of: id, in: collection)
            }
            try transaction.tell(.failure(pause), of: id, in: collection)
            return true
        }
    }

    // MARK: - Single documents

    private func change(_ id: String, _ body: (inout SyncRecord, Transaction) throws -> Void) throws -> Bool {
        try write { transaction in
            guard let old = try transaction.syncRecord(id, in: collection) else { return false }
            var record = old
            try body(&record, transaction)
            if record != old { try transaction.store(record, id, in: collection) }
            return true
        }
    }

    /// Pauses the sync of a document and stores an event for the reason. Does nothing if the document isn't synced or
    /// is paused already, or if `revision` isn't nil and isn't the document's current revision. A pause because the
    /// remote's document couldn't be stored is replaced by another pause, and the same one stores no further event.
    package func pause(_ id: String, _ pause: SyncPause, at revision: RevisionID? = nil) throws {
        _ = try change(id) { record, transaction in
            guard record.isSelected else { return }
            if let revision, try transaction.head(id, in: collection)?.revision != revision { return }
            // Changes of the remote during the pause are looked up when it ends.
            let isNew = record.pause != pause
            (record.pause, record.staleAt) = (pause, nil)
            guard isNew else { return }
            transaction.sync.note(.documents, of: collection)
            try transaction.tell(.failure(pause), of: id, in: collection)
        }
    }

    /// Ends the pause of a document's sync, and marks the document as stale: its revision at the remote has to be
    /// looked up.
    ///
    /// - Returns: false if the document isn't synced.
    package func resume(_ id: String) throws -> Bool {
        try change(id) { record, transaction in
            (record.pause, record.staleAt) = (nil, try transaction.staleMark(in: collection))
        }
    }

    /// Ends the pauses of all documents, and marks all documents as stale: their revisions at the remote have to be looked
    /// up.
    package func resumeAll() throws {
        try write { _ in for (id, _) in try records() { _ = try resume(id) } }
    }

    /// Marks documents as stale: their revisions at the remote have to be looked up. Ignores ids of documents that
    /// aren't synced.
    package func setStale(_ ids: [String]) throws {
        try write { transaction in
            let mark = try transaction.staleMark(in: collection)
            for id in ids { _ = try change(id) { record, _ in record.staleAt = mark } }
        }
    }

    /// Marks the documents as stale that are paused because the remote's couldn't be stored, so that a lookup asks for
    /// them again. If `onlyYet` is true, only those are marked of which time can cure the reason.
    package func askAgain(onlyYet: Bool = false) throws {
        let ids = try records().filter { _, record in
            record.pause.map { $0.isOfRemoteDocument && (!onlyYet || $0.code == SyncPause.notStoredYet) } ?? false
        }
        if !ids.isEmpty { try setStale(ids.map(\.id)) }
    }

    /// Begins a lookup, in which the stale documents are compared with the remote.
    ///
    /// - Returns: the ids to look up, and the count of lookups to pass to ``endLookup(_:_:)``.
    package func beginLookup() throws -> (ids: [String], count: UInt64) {
        try write { _ in
            let count = try changeSpace { space in
                space.lookups += 1
                return space.lookups
            }
            return (try staleIDs(), count)
        }
    }

    /// Records the end of a lookup. A looked-up document is no longer stale, unless it became stale again after the
    /// lookup began. If it was paused because the remote's document couldn't be stored, and wasn't paused again in the
    /// lookup, the pause has ended: the document is stored, or the remote no longer has it. ``SyncSpace/isCaughtUp`` becomes true in every case.
    ///
    /// - Parameters:
    ///   - ids: the ids that were looked up.
    ///   - count: the count of lookups that the beginning of this lookup returned.
    /// - Throws: `DatabaseError`.
    package func endLookup(_ ids: [String], _ count: UInt64) throws {
        if ids.isEmpty, let space = try space(), space.isCaughtUp, !space.mayBeStale { return }
        try write { transaction in
            for id in ids {
                _ = try change(id) { record, _ in
                    guard let staleAt = record.staleAt, staleAt < count else { return }
                    record.staleAt = nil
                    if record.isSelected { record.pause = nil }
                }
            }
            let isStale = try transaction.connection.hasRow(
                "SELECT 1 FROM local_values WHERE store = ?1 AND revision IS NOT NULL LIMIT 1",
                Transaction.recordStore(collection))
            try changeSpace { ($0.isCaughtUp, $0.mayBeStale) = (true, isStale) }
        }
    }

    /// Records the version that MongoDB Stitch has given to the remote's document; nil if it has none. Does nothing if
    /// the document isn't synced.
    package func setVersion(_ version: SyncVersion?, of id: String) throws {
        guard try record(id)?.version != version else { return }
        _ = try change(id) { record, _ in record.version = version }
    }

    // MARK: - Events

    /// Returns at most `limit` events whose numbers are greater than `number`, in the order of their numbers.
    package func events(after number: UInt64 = 0, limit: Int) throws -> [SyncEvent] {
        // A transaction that commits during this read may be missed; its commit wakes the reader of the events, which
        // then finds them.
        try database.reading {
            try $0.rows(
                "SELECT name, revision, value FROM local_values WHERE store = ?1 AND name > ?2 ORDER BY name LIMIT ?3",
                Transaction.eventStore(collection), SyncEvent.name(number), limit
            ) { row in
                try SyncEvent(name: row.text(at: 0), documentID: row.text(at: 1), stored: row.bytes(at: 2) ?? [])
            }
        }
    }

    /// Removes the events up to and including the one with a number, which were delivered to the application.
    package func removeEvents(through number: UInt64) throws {
        try write { transaction in
            try transaction.connection.run(
                "DELETE FROM local_values WHERE store = ?1 AND name <= ?2", Transaction.eventStore(collection),
                SyncEvent.name(number))
            guard var space = try transaction.syncSpace(of: collection) else { return }
            space.firstEvent = min(max(space.firstEvent, number + 1), space.nextEvent)
            try transaction.store(space, of: collection)
        }
    }
}
