internal import NIOCore
internal import Synchronization

/// The channel of an unfinished attempt to connect, which is closed unless the attempt becomes a connection.
/// Thread-safe.
final class DialWork: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isKept = false
        var isOver = false
    }
    private let state = Mutex(State())

    /// Records the channel; closes it if the attempt is over.
    func opened(_ channel: any Channel) {
        let isLate = state.withLock { state in
            state.channel = channel
            return state.isOver
        }
        if isLate { channel.close(promise: nil) }
    }

    /// Leaves the channel to the connection that the attempt became.
    func keep() { state.withLock { $0.isKept = true } }

    /// Ends the attempt and closes the channel unless it was kept.
    func closeUnlessOpen() {
        let channel = state.withLock { state in
            state.isOver = true
            return state.isKept ? nil : state.channel
        }
        channel?.close(promise: nil)
    }
}
