// The stored state of synced documents. These methods read and write within the transaction.
extension Transaction {
    static func recordStore(_ collection: Collection) -> String { "sync/\(collection.number)" }
    static func eventStore(_ collection: Collection) -> String { "syncEvents/\(collection.number)" }

    func syncSpace(of collection: Collection) throws -> SyncSpace? {
        try database.localValue(store: SyncSpace.store, name: String(collection.number)).map { try SyncSpace($0.value) }
    }

    /// Returns the collection's ``SyncSpace``, the stored state of its per-document sync, which is created if there is
    /// none.
    func madeSyncSpace(of collection: Collection) throws -> SyncSpace {
        if let space = try syncSpace(of: collection) { return space }
        var space = SyncSpace()
        space.hasOthers = try connection.integer(collection.sql.count) > 0
        try store(space, of: collection)
        sync.synced[collection.number] = true
        try renewObservers(of: collection)
        return space
    }

    func store(_ space: SyncSpace, of collection: Collection) throws {
        try database.setLocalValue(store: SyncSpace.store, name: String(collection.number), value: space.stored)
    }

    func syncRecord(_ id: String, in collection: Collection) throws -> SyncRecord? {
        try database.localValue(store: Self.recordStore(collection), name: id).map { try SyncRecord($0.value) }
    }

    /// Records that documents of a collection become stale: their revisions at the remote have to be looked up.
    ///
    /// - Returns: the current count of lookups, which the caller stores as `staleAt` in the records of these documents.
    func staleMark(in collection: Collection) throws -> UInt64 {
        var space = try madeSyncSpace(of: collection)
        if !space.mayBeStale {
            space.mayBeStale = true
            try store(space, of: collection)
        }
        sync.note(.documents, of: collection)
        return space.lookups
    }

    func store(_ record: SyncRecord, _ id: String, in collection: Collection) throws {
        // The column `revision` marks stale documents, so that they are found without parsing the records.
        try database.setLocalValue(
            store: Self.recordStore(collection), name: id, revision: record.staleAt == nil ? nil : "stale",
            value: record.stored)
    }

    func removeSyncRecord(_ id: String, in collection: Collection) throws {
        sync.note(.documents, of: collection)
        try database.removeLocalValue(store: Self.recordStore(collection), name: id)
    }

    /// Returns whether any document of a collection is synced.
    func hasSyncRecords(in collection: Collection) throws -> Bool {
        try connection.hasLocalValue(in: Self.recordStore(collection))
    }

    /// Stores an event of a synced document, unless it is a change and ``SyncSpace/keepsChanges`` is false, or
    /// ``SyncSpace/eventLimit`` events are stored already.
    func tell(_ content: SyncEvent.Content, of id: String, in collection: Collection) throws {
        guard var space = try syncSpace(of: collection), space.nextEvent - space.firstEvent < SyncSpace.eventLimit
        else {
            return
        }
        if case .change = content, !space.keepsChanges { return }
        let event = SyncEvent(number: space.nextEvent, documentID: id, content)
        try database.setLocalValue(
            store: Self.eventStore(collection), name: event.name, revision: id, value: event.stored)
        space.nextEvent += 1
        try store(space, of: collection)
        sync.note(.events, of: collection)
    }

    // MARK: - The remote has it

    /// Records, for per-document sync, that the remote has received the current revision of a document. Does nothing if
    /// the document isn't synced with that remote. The document's row isn't changed.
    func noteSent(_ id: String, to remote: Int, in collection: Collection) throws {
        guard try isSynced(collection), let space = try syncSpace(of: collection), space.remote == remote,
            let record = try syncRecord(id, in: collection), let head = try head(id, in: collection)
        else { return }
        let isDeleted = head.flags.contains(.deleted)
        let body = isDeleted ? nil : try body(head, in: collection) ?? Document.emptyBody
        try settle(record, id, body, in: collection)
    }

    /// Ends the pending change of a synced document, which the remote has received, and stores an event for it, unless
    /// it is an update that changed nothing. Nil for `body` means that the document is deleted: it is removed from the
    /// set of synced documents.
    func settle(_ record: SyncRecord, _ id: String, _ body: [UInt8]?, in collection: Collection) throws {
        guard let pending = record.pending else { return }
        if body == nil {
            try removeSyncRecord(id, in: collection)
        } else {
            var record = record
            (record.pending, record.base, record.pause) = (nil, nil, nil)
            record.version = record.version?.next
            try store(record, id, in: collection)
        }
        let isEmpty = pending == .update && record.base == body
        if !isEmpty {
            try tell(.change(pending, isCommitted: true, before: record.base, after: body), of: id, in: collection)
        }
    }

    private func isSynced(_ collection: Collection) throws -> Bool {
        if let known = sync.synced[collection.number] { return known }
        let found = try database.localValue(store: SyncSpace.store, name: String(collection.number)) != nil
        sync.synced[collection.number] = found
        return found
    }
}
