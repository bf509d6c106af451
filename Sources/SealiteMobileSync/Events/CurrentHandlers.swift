internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
internal import SealiteValues
internal import Synchronization

/// Holds a collection's current handlers, so that replicators that were started earlier use them after a change.
final class CurrentHandlers: Sendable {
    private let state = Mutex<SyncHandlers?>(nil)

    var value: SyncHandlers? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
