internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteProtocol
internal import SealiteRevisions

/// Performs a session's requests (`StoreRequest`) on one collection of the document database.
///
/// `perform` blocks, so sessions' owners call it outside the cooperative thread pool. Requests may run concurrently;
/// each is a transaction or reads one snapshot of the database.
struct CollectionStore: Sendable {
    /// The side of the connection that the database is on.
    enum Role: Sendable, Hashable {
        /// The active side; `remote` is the number under which the database stores what is known of the remote.
        case active(remote: Int)
        /// The passive side, which stores nothing about peers except their checkpoints.
        case passive
    }

    let collection: SealiteDatabase.Collection
    let role: Role
    /// The collections whose documents the peer may read, so that its documents may refer to their attachments without
    /// sending the content. Empty if the peer can read no collection, or not every document of them: then a document
    /// may refer only to its own attachments without sending the content.
    var readable: [SealiteDatabase.Collection] = []
    var pushFilter: ReplicationFilter?
    var pullFilter: ReplicationFilter?
    var isAutoPurging = true
    /// The selection of the documents that are replicated; nil for all.
    let selection: (any DocumentSelection)?
    /// The replication checkpoints that are stored for peers, which only the passive side uses.
    let peerCheckpoints: PeerCheckpoints
    private let note = ReplicationNote()
    /// The number of examined changes after which the search for changes to send ends and returns those that it has
    /// found.
    static let scanLimit = 10_000

    init(
        collection: SealiteDatabase.Collection, role: Role, readable: [SealiteDatabase.Collection] = [],
        pushFilter: ReplicationFilter? = nil, pullFilter: ReplicationFilter? = nil, isAutoPurging: Bool = true,
        selection: (any DocumentSelection)? = nil, peerCheckpoints: PeerCheckpoints? = nil
    ) {
        (self.collection, self.role, self.readable) = (collection, role, readable)
        (self.pushFilter, self.pullFilter, self.isAutoPurging) = (pushFilter, pullFilter, isAutoPurging)
        self.selection = selection
        self.peerCheckpoints = peerCheckpoints ?? PeerCheckpoints(collection.database)
    }

    var database: Database { collection.database }
    var view: ReplicatedCollection {
        if case .active(let remote) = role { return ReplicatedCollection(collection: collection, remote: remote) }
        return ReplicatedCollection(collection: collection, remote: nil, mayReadAll: readable.contains(collection))
    }

    /// The name of the store, among the local values, in which replication checkpoints are stored by their ids.
    static let checkpoints = "checkpoints"

    /// Performs a request of a session. An error is returned as the result `failed`.
    func perform(_ request: StoreRequest) -> StoreResult {
        do {
            try note.make(of: collection)
            return try result(of: request)
        } catch {
            return .failed(StoreFailure(error))
        }
    }

    private func result(of request: StoreRequest) throws -> StoreResult {
        switch request {
        case .loadCheckpoint(let id):
            return .checkpoint(try database.localValue(store: Self.checkpoints, name: id)?.value)
        case .saveCheckpoint(let id, let body):
            // With the collection's number, by which the checkpoint is removed with the collection.
            try whileCollectionExists {
                try database.setLocalValue(
                    store: Self.checkpoints, name: id, revision: String(collection.number), value: body)
            }
            return .done
        case .startNewSource(let source):
            guard case .active(let remote) = role else { return .newSource(source) }
            return .newSource(try database.startNewSource(replacing: source, unknownTo: remote))
        case .loadPeerCheckpoint(let id):
            return .peerCheckpoint(try peerCheckpoints.load(id, of: collection.number))
        case .savePeerCheckpoint(let id, let revision, let body):
            let saved = try whileCollectionExists {
                try collection.storeServedSequence()
                return try peerCheckpoints.save(id, of: collection.number, revision: revision, body: body)
            }
            return saved.map { .peerCheckpointSaved(revision: $0) } ?? .peerCheckpointConflict
        case .scan(let scan): return .changes(try note.offering(selection) { try page(scan) })
        case .loadRevisions(let queries): return .revisions(try database.read { try queries.map(load) })
        case .reconsider(let change, let server):
            return .reconsidered(try reconsider(change, serverVersion: server))
        case .markSynced(let revisions): return .synced(conflicting: try view.markSynced(revisions))
        case .compare(let rows):
            return .compared(try compareSelected(rows))
        case .decide(let rows, let pulledThrough):
            return .decided(
                try database.read {
                    try rows.map {
                        try view.decide(
                            documentID: $0.documentID, $0.version, serverVersion: $0.serverVersion,
                            pulledThrough: pulledThrough)
                    }
                })
        case .insert(let revisions, let given): return .inserted(try insertSeparately(revisions, given))
        case .removeAccess(let rows):
            return .accessRemoved(try rows.map { try removeAccess($0.documentID, $0.version) })
        case .loadRefused(let scan): return .changes(try note.offering(selection) { try refused(scan) })
        case .recordRefusals(let refusals): return try record(refusals)
        case .forgetRefusals(let ids, let side):
            try view.removeRefusals(ids, by: side)
            return .done
        }
    }

    /// Saves a checkpoint in one transaction, unless the collection was deleted: if it was created again, the checkpoint
    /// would pass over changes of the new collection, whose sequences begin anew.
    ///
    /// - Throws: `notOpen` if the collection was deleted, and the errors of `save`.
    private func whileCollectionExists<Saved>(_ save: () throws -> Saved) throws -> Saved {
        try database.write { _ in
            _ = try collection.lastSequence
            return try save()
        }
    }

    // MARK: - Sending

    /// Finds changes to send, as the request `scan` does, but without informing the selection. Writes nothing.
    func page(_ scan: ChangeScan) throws -> ChangePage {
        let wanted = scan.documentIDs.map { Set($0.map(ExactText.init)) }
        var activeOnlyThrough = scan.activeOnlyThrough
        // Read before the changes, which may be those of a later state.
        if activeOnlyThrough > 0 { activeOnlyThrough = try min(activeOnlyThrough, collection.lastSequence) }
        var page = ChangePage(
            changes: [], scannedThrough: scan.after, isEnd: false, activeOnlyThrough: activeOnlyThrough)
        var seen = 0
        while page.changes.count < scan.limit, seen < Self.scanLimit {
            let limit = scan.limit - page.changes.count
            let found = try view.changes(
                after: page.scannedThrough, limit: limit, activeOnlyThrough: activeOnlyThrough)
            for change in found where wanted?.contains(change.key) ?? true {
                if try isSent(change, scan) { page.changes.append(offered(change, scan)) }
            }
            assert(found.count <= limit)
            assert(found.last.map { $0.sequence > page.scannedThrough } ?? true, "each search goes on")
            seen += found.count
            page.scannedThrough = found.last?.sequence ?? page.scannedThrough
            if found.count < limit {
                page.isEnd = true
                break
            }
        }
        assert(page.changes.count <= scan.limit && page.scannedThrough >= scan.after)
        return page
    }

    func isSent(_ change: LocalChange, _ scan: ChangeScan) throws -> Bool {
        if change.isWithheld { return false }
        guard scan.isForPush else { return true }
        if change.hasConflict { return false }
        if change.remoteVersion == change.version, change.sequence > scan.reofferedThrough { return false }
        if let selection, try !selection.selects([change.documentID])[0] { return false }
        guard let pushFilter else { return true }
        guard let document = try collection.currentRevision(id: change.documentID) else { return false }
        return pushFilter(document, document.isDeleted ? .deleted : [])
    }

    /// Returns a change in the form in which it is offered to the remote: as a new document if the remote may have lost
    /// the document.
    private func offered(_ change: LocalChange, _ scan: ChangeScan) -> LocalChange {
        guard change.sequence <= scan.reofferedThrough else { return change }
        var offered = change
        offered.isReoffered = true
        offered.remoteVersion = nil
        return offered
    }

    /// Loads a revision and its body, in the form in which they are sent.
    private func load(_ query: RevisionQuery) throws -> LoadedRevision {
        let loaded = try view.revision(query)
        guard let selection, case .found(var revision) = loaded else { return loaded }
        revision.body = try selection.outgoing(
            query.documentID, revision.body, isDeleted: revision.isDeleted, isDelta: revision.delta != nil)
        return .found(revision)
    }

    // MARK: - Receiving

    /// Compares announced revisions with the stored ones, and returns the decisions in the order of the rows.
    func compare(_ rows: [ChangesRequest.Row]) throws -> [AnnouncementDecision] {
        try view.compare(rows.map { (documentID: $0.documentID, version: $0.version) })
    }

    /// Purges a document to which access was lost, if the remote is known to have its current revision and the pull
    /// filter returns true for it. With a selection, the selection decides instead. Returns whether the document was
    /// removed.
    ///
    /// A document that was never exchanged with the remote, and one with changes that the remote doesn't have, is kept:
    /// a remote can't remove what it never had. If there is a filter and the version is invalid, the filter can't be
    /// called, and the document is kept too.
    func removeAccess(_ documentID: String, _ version: Version, history: [Version] = []) throws -> Bool {
        if let selection { return try selection.lostAccess(documentID) }
        if let pullFilter {
            guard let revision = ReplicatedCollection.id(of: version),
                pullFilter(collection.preview(id: documentID, revision: revision), .accessRemoved)
            else { return false }
        }
        return try view.purgeSent(id: documentID, remoteVersions: [version] + history)
    }
}

extension StoreFailure {
    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError:
            self.init(
                isTransient: error.isTransient, reason: "the local database: \(error.reason)", kind: error.identifier)
        case let error as BLIPError: self.init(isTransient: false, reason: error.reason)
        default:
            self.init(
                isTransient: false, reason: "a local operation failed with an error of the type \(type(of: error))")
        }
    }
}

// Documents that the remote or this side refused.
extension CollectionStore {
    /// Returns the changes to propose again: those that the remote refused in earlier sessions, that are still current,
    /// and that the scan's document IDs and the push filter let through. The scan's limit applies before the filters.
    func refused(_ scan: ChangeScan) throws -> ChangePage {
        let wanted = scan.documentIDs.map { Set($0.map(ExactText.init)) }
        let changes = try view.refusedChanges(limit: scan.limit).filter { change in
            try wanted?.contains(change.key) ?? true && isSent(change, scan)
        }
        assert(changes.count <= scan.limit)
        return ChangePage(changes: changes, scannedThrough: scan.after, isEnd: true)
    }

    /// Returns the decision on a change that the remote refused as a conflict. The document may have changed since the
    /// search that found the change, so its current revision is proposed only if a search would return it now.
    func reconsider(_ refused: LocalChange, serverVersion: Version?) throws -> RefusedChangeDecision {
        let decision = try view.reconsider(refused, serverVersion: serverVersion)
        guard case .propose(let change) = decision else { return decision }
        let scan = ChangeScan(
            after: 0, limit: 1, isForPush: true, reofferedThrough: change.isReoffered ? change.sequence : 0)
        return try isSent(change, scan) ? decision : .excluded
    }

    /// Stores refusals of one side. A selection stores itself which documents of the remote couldn't be stored.
    func record(_ refusals: [Refusal]) throws -> StoreResult {
        try selection?.refused(refusals)
        assert(refusals.allSatisfy { $0.side == refusals.first?.side }, "a request records the refusals of one side")
        guard selection == nil || refusals.first?.side == .remote else { return .refusalsRecorded(left: []) }
        return .refusalsRecorded(left: try view.recordRefusals(refusals))
    }
}
