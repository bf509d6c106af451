internal import SealiteDatabase
internal import SealiteReplicator
internal import SealiteRevisions

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

    func outgoing(_ id: String, _ json: [UInt8], isDeleted: Bool) throws -> [UInt8] {
        guard !isDeleted, let version = try documents.record(id)?.version else { return json }
        return StitchVersion.add(after: version, to: json)
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
