internal import SealiteDatabase
internal import SealiteMongo
internal import SealiteReplicator
internal import SealiteValues
internal import Synchronization

/// The current handlers, for replicators that outlive a change of them.
final class CurrentHandlers: Sendable {
    private let state = Mutex<SyncHandlers?>(nil)

    var value: SyncHandlers? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
