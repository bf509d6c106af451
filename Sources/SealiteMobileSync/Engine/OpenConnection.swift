internal import SealiteReplicator
internal import Synchronization

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
