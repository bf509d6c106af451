internal import NIOCore
internal import Synchronization

/// An attempt that is under way: its channel is closed unless a connection comes of it. Thread-safe.
final class DialWork: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isKept = false
        var isOver = false
    }
    private let state = Mutex(State())

    /// The channel is there.
    func opened(_ channel: any Channel) {
        let isLate = state.withLock { state in
            state.channel = channel
            return state.isOver
        }
        if isLate { channel.close(promise: nil) }
    }

    /// A connection came of it, which owns the channel from now on.
    func keep() { state.withLock { $0.isKept = true } }

    /// Nobody waits any more.
    func closeUnlessOpen() {
        let channel = state.withLock { state in
            state.isOver = true
            return state.isKept ? nil : state.channel
        }
        channel?.close(promise: nil)
    }
}
