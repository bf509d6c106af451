internal import SealiteProtocol
internal import SealiteJSON
internal import SealiteDatabase

// The conversion of a configuration for a session. These methods block.
extension ReplicatorConfiguration {
    var database: Database { collections[0].collection.database }

    /// Returns the configuration of a session over one connection, which includes the state of the local database.
    func session(isReset: Bool, retriesRefused: Bool) throws -> SessionConfiguration {
        let parts = try collections.map { own in
            let lastSequence = try own.collection.lastSequence
            return SessionConfiguration.Collection(
                path: own.collection.wirePath, checkpointID: try checkpointID(own),
                previousCheckpointID: try previousCheckpointID(own), isPush: replicatorType.isPush,
                isPull: replicatorType.isPull, documentIDs: own.documentIDs, channels: own.channels,
                isEmpty: lastSequence == 0, lastSequence: lastSequence)
        }
        var session = SessionConfiguration(collections: parts)
        session.isContinuous = continuous
        session.hasVectors = database.versioning == .vectors
        // The names of the collections show whether the remote is a listener of this library, which has no channels.
        session.asksForCollections = asksForCollections || collections.contains { $0.channels != nil }
        session.isReset = isReset
        session.retriesRefused = retriesRefused && replicatorType.isPush
        session.isAutoPurging = purgesInaccessibleDocuments
        session.databaseUUID = try database.publicUUID()
        return session
    }

    /// Returns the interfaces by which a session accesses the database, one for each collection.
    func stores() throws -> [CollectionStore] {
        let remote = try database.remoteNumber(target.description)
        // The remote may be able to read whole collections if they are pushed.
        let isWhole = { (own: CollectionConfiguration) in
            own.documentIDs == nil && own.selection == nil && own.pushFilter == nil
        }
        let pushed = replicatorType.isPush ? collections.filter(isWhole).map(\.collection) : []
        return collections.map { own in
            CollectionStore(
                collection: own.collection, role: .active(remote: remote), readable: pushed,
                pushFilter: own.pushFilter, pullFilter: own.pullFilter,
                isAutoPurging: purgesInaccessibleDocuments && own.documentIDs == nil, selection: own.selection)
        }
    }

    private func checkpointID(_ own: CollectionConfiguration) throws -> String {
        try checkpointID(own, try database.privateUUID())
    }

    private func previousCheckpointID(_ own: CollectionConfiguration) throws -> String? {
        try database.previousPrivateUUID().map { try checkpointID(own, $0) }
    }

    private func checkpointID(_ own: CollectionConfiguration, _ databaseUUID: [UInt8]) throws -> String {
        // A session doesn't change the other direction's part, so one checkpoint serves both directions. A filter may
        // apply to one direction only: documents that it excluded must not count as replicated without the filter.
        let isFiltered = own.pushFilter != nil || own.pullFilter != nil || own.selection != nil
        return try CheckpointIdentity(
            databaseUUID: Hexadecimal.text(of: databaseUUID), remote: target.description,
            collectionPath: own.collection.wirePath, isPush: replicatorType.isPush || !isFiltered,
            isPull: replicatorType.isPull || !isFiltered, channels: own.channels,
            documentIDs: own.selection == nil ? own.documentIDs : nil, filterName: own.selection?.name
        ).id()
    }

    /// Returns the ids of a collection's documents that wait to be pushed; the collection is given by its position in
    /// `collections`. The search ends when `limit` ids are found, so there may be more, and the result may exceed
    /// `limit` somewhat.
    func pendingDocuments(_ index: Int, limit: Int) throws -> Set<String> {
        let own = collections[index]
        let store = try stores()[index]
        var checkpoint = Checkpoint()
        if case .checkpoint(let body?) = store.perform(.loadCheckpoint(id: try checkpointID(own))) {
            checkpoint = try Checkpoint(json: body, limits: MessageLimits())
        }
        let completed = checkpoint.completed
        var scan = ChangeScan(
            after: completed.contiguousThrough, limit: 1_000, documentIDs: own.documentIDs, isActiveOnly: false,
            isForPush: true, reofferedThrough: checkpoint.reofferedThrough ?? 0)
        var found: Set<String> = []
        while found.count < limit {
            switch store.perform(.scan(scan)) {
            case .changes(let page):
                found.formUnion(page.changes.filter { !completed.contains($0.sequence) }.map(\.documentID))
                if page.isEnd { return found }
                scan.after = page.scannedThrough
            case .failed(let failure): throw failure
            default: return found
            }
        }
        return found
    }
}

extension SealiteDatabase.Collection {
    /// The name of the collection in messages: `scope.collection`, or `collection` in the default scope.
    var wirePath: String { scopeName == Database.defaultScopeName ? name : fullName }
}
