internal import SealiteDatabase
internal import SealiteReplicator
internal import SealiteRevisions
internal import Synchronization

/// Restricts a replicator to the synced documents of a collection that aren't paused. Documents that are paused because
/// the remote's couldn't be stored are selected too.
struct MobileSelection: DocumentSelection {
    let name: String
    let documents: SyncedDocuments
    /// A Boolean value that says whether the replicator looks up stale documents, rather than following the remote's
    /// changes.
    let isLookup: Bool

    private let sessions: SyncSessions
    /// Called when a document was paused whose storing time can make possible.
    private let onNotStoredYet: @Sendable () -> Void

    init(
        _ documents: SyncedDocuments, _ sessions: SyncSessions, isLookup: Bool,
        onNotStoredYet: @escaping @Sendable () -> Void = {}
    ) {
        self.onNotStoredYet = onNotStoredYet
        name = isLookup ? "mobile sync, lookup" : "mobile sync"
        (self.documents, self.sessions, self.isLookup) = (documents, sessions, isLookup)
    }

    func selects(_ ids: [String]) throws -> [Bool] {
        try documents.records(ids).map { record in record?.isSelected ?? false }
    }

    func beginSession() throws -> any Sendable { try sessions.begin() }

    func incoming(_ id: String, _ json: [UInt8], isDeleted: Bool) throws -> [UInt8]? {
        do {
            let (body, version) = try StitchVersion.take(from: json)
            if !isDeleted { try documents.setVersion(version, of: id) }
            return body
        } catch let error as MobileSyncError {
            try documents.end(id, because: error.pause, tellsDeletion: false)
            return nil
        }
    }

    func outgoing(_ id: String, _ json: [UInt8], isDeleted: Bool, isDelta: Bool) throws -> [UInt8] {
        guard !isDeleted, let version = try documents.record(id)?.version else { return json }
        return StitchVersion.add(version.next, to: json, isDelta: isDelta)
    }

    func remoteForm(_ id: String, _ json: [UInt8]) throws -> [UInt8] {
        guard let version = try documents.record(id)?.version else { return json }
        return StitchVersion.add(version, to: json)
    }

    func refused(_ refusals: [Refusal]) throws {
        for refusal in refusals where refusal.side == .local {
            let error = MobileSyncError(
                refusal.isCuredByTime ? .notStoredYet : .notStored, "\(refusal.reason); the document is paused")
            try documents.pause(refusal.documentID, error.pause)
            if refusal.isCuredByTime { onNotStoredYet() }
        }
        let refusals = refusals.filter { $0.side == .remote }
        let conflicts = refusals.filter { $0.domain == "HTTP" && $0.code == 409 }
        // The remote has a revision that this side hasn't received. It may have announced the revision before the
        // document was added to the set, when announcements of the document were ignored. Therefore the document is
        // looked up.
        if !conflicts.isEmpty, !isLookup { try documents.setStale(conflicts.map(\.documentID)) }
        for refusal in refusals where refusal.domain != "HTTP" || refusal.code != 409 {
            let error = MobileSyncError(
                .remoteRefused,
                "the remote refused the document: \(refusal.domain) \(refusal.code), \(refusal.reason); the document is paused"
            )
            try documents.pause(refusal.documentID, error.pause, at: refusal.version.revisionID)
        }
    }

    func lostAccess(_ id: String) throws -> Bool {
        guard let record = try documents.record(id) else { return false }
        let effect =
            record.pending == nil
            ? "the local document was removed" : "the local document has unsent changes, and is kept and paused"
        let error = MobileSyncError(.accessLost, "access to the remote's document was revoked; \(effect)")
        return try documents.end(id, because: error.pause, tellsDeletion: true)
    }
}

/// The open sessions of one collection with the remote: that of the replicator that follows the remote, and those of
/// lookups beside it. The database counts the beginning of the first open session and the end of the last one.
final class SyncSessions: Sendable {
    private struct State {
        var open = 0
        /// The count (`SyncSpace.sessions`) that the database recorded when the first of the open sessions began.
        var count: UInt64 = 0
    }

    private let documents: SyncedDocuments
    private let state = Mutex(State())

    init(_ documents: SyncedDocuments) { self.documents = documents }

    /// An open session, whose end is recorded when the object is released.
    private final class Session: Sendable {
        private let sessions: SyncSessions

        init(_ sessions: SyncSessions) { self.sessions = sessions }

        deinit {
            // The last reference may be released within a transaction of another thread, which must not wait for a
            // second one: a detached task records the end.
            let sessions = sessions
            Task.detached { await sessions.end() }
        }
    }

    /// Records the beginning of a session.
    ///
    /// - Returns: an object that represents the session; its release ends the session.
    func begin() throws -> any Sendable {
        try state.withLock { state in
            if state.open == 0 { state.count = try documents.beginSession() }
            state.open += 1
        }
        return Session(self)
    }

    private func end() async {
        let count = state.withLock { state in
            state.open -= 1
            return state.open == 0 ? state.count : nil
        }
        guard let count else { return }
        let documents = documents
        try? await documents.collection.database.write { _ in try documents.endSession(count) }
    }
}

/// The replicator of a connection that stays open. It tells which of the replicator's statuses require a further step
/// of the sync.
final class OpenConnection: Sendable {
    private struct State {
        var hasCaughtUp = false
        var isConnected = false
        var removal: (@Sendable () -> Void)?
    }

    let replicator: Replicator
    private let state = Mutex(State())

    /// Creates the connection of a replicator, and listens to the replicator's statuses.
    ///
    /// - Parameters:
    ///   - replicator: the replicator, which isn't started.
    ///   - listener: called with each status of the replicator; `isForWork` is false for a connection that has caught
    ///     up and stays connected, since it sends and receives changes without further steps of the sync.
    init(_ replicator: Replicator, _ listener: @escaping @Sendable (_ isForWork: Bool) -> Void) {
        self.replicator = replicator
        let removal = replicator.onStatus { [weak self] status in
            if let self { listener(self.isForWork(status)) }
        }
        state.withLock { $0.removal = removal }
    }

    deinit { state.withLock { $0.removal }?() }

    /// A Boolean value that says whether the connection has compared all changes that existed when it began.
    var hasCaughtUp: Bool {
        get { state.withLock { $0.hasCaughtUp } }
        set { state.withLock { $0.hasCaughtUp = newValue } }
    }

    private func isForWork(_ status: ReplicatorStatus) -> Bool {
        let isConnected = [.idle, .busy].contains(status.activity)
        return state.withLock { state in
            let isSame = isConnected && state.isConnected && state.hasCaughtUp
            state.isConnected = isConnected
            return !isSame
        }
    }
}
