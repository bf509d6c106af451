public import SealiteDatabase
package import SealiteReplicator
internal import SealiteValues
internal import Synchronization

/// Controls the per-document sync of a database: its remote, its schedule, and whether the network is available.
///
/// ``SyncedCollection``, which `MongoCollection.sync` returns, selects, reads and writes the documents of one
/// collection and receives their changes.
public final class MobileSync: Sendable {
    private struct State {
        var settings = CollectionSync.Settings()
        var collections: [Collection: CollectionSync] = [:]
    }

    private let state = Mutex(State())

    /// Returns the object that controls the per-document sync of a database; each call for the same database returns
    /// the same object.
    public static func of(_ database: Database) -> MobileSync {
        database.attachments.object(MobileSync.self) {
            database.install(StitchVersionGuard(), named: "stitch version")
            return MobileSync()
        }
    }

    /// Sets the remote to sync with, and connects to it; nil disconnects. An open connection ends, even one to the same
    /// URL, since the other options, such as the authenticator, may have changed. After a change of the remote's URL,
    /// all synced documents are compared with the new remote.
    public func connect(to remote: MobileSyncRemote?) async {
        await change { settings in
            settings.remote = remote
            settings.remoteCount += 1
        }
    }

    /// Sets the sync schedule. The default is `reactive`.
    public func setFrequency(_ frequency: SyncFrequency) async { await change { $0.frequency = frequency } }

    /// Sets whether the network is available. While it isn't, nothing is sent or received. The default is true.
    public func setOnline(_ isOnline: Bool) async { await change { $0.isOnline = isOnline } }

    /// A Boolean value that says whether the network is available, according to the application.
    public var isOnline: Bool { state.withLock { $0.settings.isOnline } }

    /// Syncs all configured collections with the remote once, in both directions. A collection that fails doesn't keep
    /// the others from being synced.
    ///
    /// - Throws: the first error of a collection, after all were tried: `ReplicatorError` if the remote can't be
    ///   reached; ``MobileSyncError`` if there is no remote or the network is set as unavailable, also during the call,
    ///   or if an error has stopped the open connection of the frequency `reactive`. `CancellationError` if the task is
    ///   cancelled before all were tried.
    public func syncNow() async throws {
        var first: (any Error)?
        for collection in state.withLock({ Array($0.collections.values) }) {
            try Task.checkCancellation()
            do {
                try await collection.pass()
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// Ends syncing and the delivery of events, and returns when both have ended. Configuring a collection starts them
    /// again.
    public func stop() async {
        for (collection, sync) in state.withLock({ $0.collections }) { await end(sync, of: collection) }
    }

    /// Ends the sync of a collection. The collection gets another `CollectionSync` only after this one has ended,
    /// because two of them can't sync the same collection.
    private func end(_ sync: CollectionSync, of collection: Collection) async {
        await sync.end()
        state.withLock { if $0.collections[collection] === sync { $0.collections[collection] = nil } }
    }

    private func change(_ body: (inout CollectionSync.Settings) -> Void) async {
        let (settings, collections) = state.withLock { state in
            body(&state.settings)
            return (state.settings, Array(state.collections.values))
        }
        for collection in collections { await collection.set(settings) }
    }

    /// Configures the sync of a collection with a conflict resolver of the kind that `Replicator` uses, instead of a
    /// conflict handler. `onError` receives each error with the ID of its document; the ID is nil if the error concerns
    /// the whole collection.
    package func configure(
        _ collection: Collection, _ resolver: any ConflictResolver,
        onError: @escaping @Sendable (MobileSyncError, String?) -> Void
    ) async throws {
        let handlers = SyncHandlers(resolver) { error, id in
            onError(error, id.flatMap { try? DocumentKey.text(of: $0) })
        }
        try await configure(collection, handlers)
    }

    /// Waits until all change events and errors of the configured collections that are stored by now were delivered to
    /// the application, or couldn't be read.
    package func settle() async {
        for collection in state.withLock({ Array($0.collections.values) }) { await collection.settle() }
    }

    func configure(_ collection: Collection, _ handlers: SyncHandlers) async throws {
        while true {
            let sync = state.withLock { state in
                if let found = state.collections[collection] { return found }
                let made = CollectionSync(collection, state.settings)
                state.collections[collection] = made
                return made
            }
            if try await sync.configure(handlers) { return }
            // A concurrent `stop()` has ended it.
            await end(sync, of: collection)
        }
    }
}
