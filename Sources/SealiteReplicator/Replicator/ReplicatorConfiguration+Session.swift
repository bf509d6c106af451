internal import SealiteCredentials
internal import SealiteCrypto
internal import SealiteDatabase
internal import SealiteProtocol

// The conversion of a configuration for a session. These methods block.
extension ReplicatorConfiguration {
    var database: Database { collections[0].collection.database }

    /// Returns the configuration of a session over one connection, which includes the state of the local database.
    func session(isReset: Bool, retriesRefused: Bool) throws -> SessionConfiguration {
        let parts = try collections.map { own in
            let lastSequence = try own.collection.lastSequence
            var part = SessionConfiguration.Collection(
                path: own.collection.wirePath, checkpointID: try checkpointID(own),
                previousCheckpointID: try previousCheckpointID(own), isPush: replicatorType.isPush,
                isPull: replicatorType.isPull, documentIDs: own.documentIDs, channels: own.channels,
                isEmpty: lastSequence == 0, lastSequence: lastSequence)
            part.unstoredIDs = try unstored(own).map(\.refusal.documentID)
            return part
        }
        assert(parts.count == collections.count && !parts.isEmpty, "a collection keeps its position")
        var session = SessionConfiguration(collections: parts)
        session.isContinuous = continuous
        session.usesDeltas = enableDeltaSync
        session.hasVectors = database.versioning == .vectors
        // The names of the collections show whether the remote is a listener of this library, which has no channels.
        session.asksForCollections = asksForCollections || collections.contains { $0.channels != nil }
        session.isReset = isReset
        session.retriesRefused = retriesRefused && replicatorType.isPush
        session.isAutoPurging = purgesInaccessibleDocuments
        session.databaseUUID = try database.publicUUID()
        session.source = try database.versionSource()
        session.saveToken = Hexadecimal.text(of: try SecureRandom.bytes(8))
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
        let filterNames = own.filterNames
        return try CheckpointIdentity(
            databaseUUID: Hexadecimal.text(of: databaseUUID), remote: target.description,
            collectionPath: own.collection.wirePath, isPush: replicatorType.isPush || filterNames == nil,
            isPull: replicatorType.isPull || filterNames == nil, channels: own.channels,
            documentIDs: own.selection == nil ? own.documentIDs : nil, filterNames: filterNames
        ).id()
    }

    /// Returns the local copy of a collection's checkpoint, of which a session begins with the part that the remote's
    /// copy confirms; an empty checkpoint if none is stored, or the stored one is damaged.
    private func localCheckpoint(_ own: CollectionConfiguration) throws -> Checkpoint {
        let ids = [try checkpointID(own), try previousCheckpointID(own)]
        for case let id? in ids {
            let stored = try database.localValue(store: CollectionStore.checkpoints, name: id)
            if let json = stored?.value, let read = Checkpoint(copy: json, limits: MessageLimits()) { return read }
        }
        return Checkpoint()
    }

    /// Returns the ids of a collection's documents that wait to be pushed; the collection is given by its position in
    /// `collections`. The search ends when `limit` ids are found, so there may be more, and the result may exceed
    /// `limit` somewhat. Nothing is written.
    func pendingDocuments(_ index: Int, limit: Int) throws -> Set<String> {
        let own = collections[index]
        // A remote without a number is one with which the database hasn't replicated yet: nothing is known of it.
        let remote = try database.knownRemoteNumber(target.description)
        let store = CollectionStore(
            collection: own.collection, role: remote.map { CollectionStore.Role.active(remote: $0) } ?? .passive,
            pushFilter: own.pushFilter, selection: own.selection)
        let checkpoint = try localCheckpoint(own)
        let completed = checkpoint.completed
        var scan = ChangeScan(
            after: completed.contiguousThrough, limit: 1_000, documentIDs: own.documentIDs, isForPush: true,
            reofferedThrough: checkpoint.reofferedThrough ?? 0)
        var found: Set<String> = []
        while found.count < limit {
            let page = try store.page(scan)
            found.formUnion(page.changes.filter { !completed.contains($0.sequence) }.map(\.documentID))
            if page.isEnd { break }
            assert(page.scannedThrough > scan.after, "each page goes on")
            scan.after = page.scannedThrough
        }
        return found
    }
}

extension CollectionConfiguration {
    /// The names of the filters and of the selection that restrict the documents; nil if there are none.
    fileprivate var filterNames: [String]? {
        var names: [String] = []
        if pushFilter != nil { names.append("push filter") }
        if pullFilter != nil { names.append("pull filter") }
        if let selection { names.append(selection.name) }
        return names.isEmpty ? nil : names
    }
}

extension SealiteDatabase.Collection {
    /// The name of the collection in messages: `scope.collection`, or `collection` in the default scope.
    var wirePath: String { scopeName == Database.defaultScopeName ? name : fullName }
}

// The subprotocols that transfer documents with revision trees, and those for version vectors
// (Documentation/Replication.md, "Who can sync with whom").
extension DocumentVersioning {
    private static let vectorProtocol = "BLIP_3+CBMobile_4"
    private static let treeProtocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]

    /// The subprotocols that the client offers to a remote, in order of preference. A database of version vectors
    /// offers those of revision trees too: a remote that supports only these then chooses one, instead of refusing the
    /// handshake, and the error names it.
    var offered: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] + Self.treeProtocols }

    /// The subprotocols under which a database of this versioning replicates documents.
    var served: [String] { self == .trees ? Self.treeProtocols : [Self.vectorProtocol] }

    fileprivate var words: String { self == .trees ? "revision trees" : "version vectors" }
    fileprivate var other: DocumentVersioning { self == .trees ? .vectors : .trees }
}

extension ReplicatorError {
    /// The error for a remote that doesn't replicate documents of this side's versioning.
    ///
    /// - Parameters:
    ///   - own: the versioning of the local database.
    ///   - spoken: the version of the protocol that the remote chose; nil if it chose none of the offered subprotocols.
    /// - Returns: the error, whose text names the versioning of each side and a remedy.
    static func incompatible(_ own: DocumentVersioning, remote spoken: String? = nil) -> ReplicatorError {
        let advice =
            own == .trees
            ? "upgrade this database to version vectors, which can't be undone"
            : "upgrade the remote: a database to version vectors, a Sync Gateway to version 4"
        return ReplicatorError(
            .incompatibleVersioning,
            "this database has \(own.words), and the remote has \(own.other.words)"
                + (spoken.map { " (it chose the protocol \($0))" } ?? "") + "; \(advice)")
    }

    /// Returns the error for a refused handshake if the reason is that the remote supports no subprotocol for this
    /// database's versioning (revision trees or version vectors); nil for a refusal for another reason.
    static func incompatible(_ own: DocumentVersioning, refused error: TransportError) -> ReplicatorError? {
        switch error.code {
        // Couchbase Lite refuses an unknown subprotocol with this status and no reason.
        case .http(501): incompatible(own)
        // Sync Gateway and `ReplicationListener` list the subprotocols that they support.
        case .http(403), .http(500): error.reason.contains("+CBMobile_") ? incompatible(own) : nil
        default: nil
        }
    }

    /// Returns the error, with a text that names the versioning of each side and a remedy if its code is
    /// `incompatibleVersioning`; `own` is the versioning of the local database.
    func explained(_ own: DocumentVersioning) -> ReplicatorError {
        code == .incompatibleVersioning ? Self.incompatible(own) : self
    }
}
