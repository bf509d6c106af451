internal import GRDB
internal import SealiteBase
internal import Synchronization

/// Detects commits of other processes, and of connections of this process that no `Database` made. While there are
/// subscriptions, it polls SQLite's data version. <https://sqlite.org/pragma.html#pragma_data_version>
final class ChangePoller: Sendable {
    /// The time by which the system may delay a poll, so that it can combine wake-ups.
    private static let leeway = Duration.milliseconds(20)

    private let interval: Duration
    private let watch: Watch
    private let onChange: @Sendable () -> Void
    private let timer = Mutex<(any RestartableTimer)?>(nil)

    /// Creates a poller, which polls immediately and then at an interval.
    ///
    /// - Parameters:
    ///   - interval: the polling interval.
    ///   - time: the time source for the interval.
    ///   - open: opens the connection for polling; the data version of a connection is comparable only with itself.
    ///   - onChange: called on the poller's queue when the file was changed, and after the first poll.
    init(
        every interval: Duration, by time: any TimeSource, open: @escaping @Sendable () throws -> DatabaseQueue,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.interval = max(interval, .milliseconds(1))
        self.onChange = onChange
        watch = Watch(open)
        let started = time.makeTimer("poller") { [weak self] in self?.look() }
        timer.withLock { $0 = started }
        started.set(after: .zero)
    }

    private func look() {
        if watch.hasChanged() { onChange() }
        timer.withLock { $0?.set(after: interval, leeway: Self.leeway) }
    }

    /// The polling connection, opened by the first poll, and the data version that it last read.
    private final class Watch: Sendable {
        private let state = Mutex<(queue: DatabaseQueue?, version: Int64)>((nil, 0))
        private let open: @Sendable () throws -> DatabaseQueue

        init(_ open: @escaping @Sendable () throws -> DatabaseQueue) { self.open = open }

        /// Returns whether the file was changed since the last call; false if it can't be read. The first call returns
        /// true, because earlier changes are unknown.
        func hasChanged() -> Bool {
            state.withLock { state in
                do {
                    let queue = try state.queue ?? open()
                    state.queue = queue
                    let version = try queue.unsafeRead { try $0.integer("PRAGMA data_version") }
                    defer { state.version = version }
                    return version != state.version
                } catch {
                    // The connection is discarded, and the next poll opens a new one, whose data version can't be
                    // compared with this one's: it counts as changed.
                    state = (nil, 0)
                    return false
                }
            }
        }
    }
}
