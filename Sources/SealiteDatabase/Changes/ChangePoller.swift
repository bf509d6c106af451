internal import GRDB
internal import SealiteFile
internal import Synchronization

/// Notices commits of other processes, and of connections that no `Database` of this one made: asks SQLite's data version
/// now and then while someone follows the database. <https://sqlite.org/pragma.html#pragma_data_version>
final class ChangePoller: Sendable {
    private let timer: QueueTimer

    /// - Parameters:
    ///   - interval: how often it asks.
    ///   - open: opens the connection that asks; its version is comparable only with itself.
    ///   - onChange: called on the poller's queue.
    init(
        every interval: Duration, open: @escaping @Sendable () throws -> DatabaseQueue,
        onChange: @escaping @Sendable () -> Void
    ) {
        let watch = Watch(open)
        timer = QueueTimer(label: "sealite.poller") {
            if watch.hasChanged() { onChange() }
        }
        timer.schedule(everyMilliseconds: max(interval.milliseconds, 1))
    }

    /// The connection and the version it last saw.
    private final class Watch: Sendable {
        private let state = Mutex<(queue: DatabaseQueue?, version: Int64)>((nil, 0))
        private let open: @Sendable () throws -> DatabaseQueue

        init(_ open: @escaping @Sendable () throws -> DatabaseQueue) { self.open = open }

        /// Whether the file was changed since the last call. The first call says yes: what happened before it is unknown.
        func hasChanged() -> Bool {
            state.withLock { state in
                do {
                    let queue = try state.queue ?? open()
                    state.queue = queue
                    let version = try queue.unsafeRead { try $0.integer("PRAGMA data_version") }
                    defer { state.version = version }
                    return version != state.version
                } catch {
                    // Tried again at the next turn with a new connection.
                    state.queue = nil
                    return false
                }
            }
        }
    }
}
