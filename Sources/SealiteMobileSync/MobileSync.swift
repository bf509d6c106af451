public import SealiteDatabase
package import SealiteReplicator
internal import SealiteValues
internal import Synchronization

/// The per-document sync of a database: with which remote, when, and whether the network is there.
///
/// Documents are chosen, written and followed by collections: ``SealiteMongo/MongoCollection/sync``.
public final class MobileSync: Sendable {
    private struct State {
        var settings = CollectionSync.Settings()
        var collections: [Collection: CollectionSync] = [:]
    }

    private let state = Mutex(State())

    /// Returns the sync of a database, which there is one of.
    public static func of(_ database: Database) -> MobileSync {
        database.attachments.object(MobileSync.self) {
            database.install(StitchVersionGuard(), named: "stitch version")
            return MobileSync()
        }
    }

    /// Syncs with a remote from now on; nil with none. Where it is another one than before, all documents are compared with it.
    public func connect(to remote: MobileSyncRemote?) async { await change { $0.remote = remote } }

    /// Sets when documents are synced. Default at once.
    public func setFrequency(_ frequency: SyncFrequency) async { await change { $0.frequency = frequency } }

    /// Sets whether there is a network. Without one nothing is tried, and writes wait. Default true.
    public func setOnline(_ isOnline: Bool) async { await change { $0.isOnline = isOnline } }

    /// A Boolean value that says whether there is a network, as far as the application has said.
    public var isOnline: Bool { state.withLock { $0.settings.isOnline } }

    /// Compares all collections that are configured with the remote, both ways, once.
    ///
    /// - Throws: `ReplicatorError` where the remote can't be reached; ``MobileSyncError`` without one.
    public func syncNow() async throws {
        for collection in state.withLock({ Array($0.collections.values) }) { try await collection.pass() }
    }

    /// Ends all syncing and telling, in order. Collections that are configured anew begin again.
    public func stop() async {
        let collections = state.withLock { state in
            defer { state.collections = [:] }
            return Array(state.collections.values)
        }
        for collection in collections { await collection.end() }
    }

    private func change(_ body: (inout CollectionSync.Settings) -> Void) async {
        let (settings, collections) = state.withLock { state in
            body(&state.settings)
            return (state.settings, Array(state.collections.values))
        }
        for collection in collections { await collection.set(settings) }
    }

    /// Syncs a collection with a replicator's resolver; errors come with the document's id.
    package func configure(
        _ collection: Collection, _ resolver: any ConflictResolver,
        onError: @escaping @Sendable (MobileSyncError, String?) -> Void
    ) async throws {
        let handlers = SyncHandlers(resolver) { error, id in
            onError(error, id.flatMap { try? DocumentKey.text(of: $0) })
        }
        try await configure(collection, handlers)
    }

    /// Waits until all that is stored to be told was told.
    package func settle() async {
        for collection in state.withLock({ Array($0.collections.values) }) { await collection.settle() }
    }

    func configure(_ collection: Collection, _ handlers: SyncHandlers) async throws {
        let sync = state.withLock { state in
            if let found = state.collections[collection] { return found }
            let made = CollectionSync(collection, state.settings)
            state.collections[collection] = made
            return made
        }
        try await sync.configure(handlers)
    }
}
