internal import NIOCore
internal import Synchronization

/// The connections of a server, so that it can count and close them. Thread-safe.
final class ConnectionRegistry: Sendable {
    private struct Entry {
        let channel: any Channel
        var handler: NIOLoopBound<FrameHandler>?
        var deadline: Scheduled<Void>?
    }
    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isStopping = false
    }
    private let state = Mutex(State())

    /// The connections that were upgraded.
    var connectionCount: Int { state.withLock { $0.entries.values.count { $0.handler != nil } } }

    /// Takes a new connection in, and out again when it closes.
    ///
    /// - Parameters:
    ///   - channel: the connection.
    ///   - limit: most connections, upgraded or not.
    ///   - timeout: time until it must be upgraded.
    /// - Returns: false if it is one too many, or the server stops.
    func admit(_ channel: any Channel, limit: Int, timeout: TimeAmount) -> Bool {
        let deadline = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        let isAdmitted = state.withLock { state in
            guard !state.isStopping, state.entries.count < limit else { return false }
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, deadline: deadline)
            return true
        }
        guard isAdmitted else {
            deadline.cancel()
            return false
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.entries.removeValue(forKey: ObjectIdentifier(channel)) }?.deadline?.cancel()
        }
        return true
    }

    /// Notes that a connection finished its handshake.
    func upgraded(_ channel: any Channel, _ handler: NIOLoopBound<FrameHandler>) {
        let (deadline, isStopping) = state.withLock { state in
            state.entries[ObjectIdentifier(channel)]?.handler = handler
            return (state.entries[ObjectIdentifier(channel)]?.deadline, state.isStopping)
        }
        deadline?.cancel()
        if isStopping { channel.eventLoop.execute { handler.value.close(code: 4_001, reason: "going away") } }
    }

    /// Closes all connections, those that were upgraded with 4001. Returns when they are closed.
    func closeAll() async {
        let entries = state.withLock { state in
            state.isStopping = true
            return Array(state.entries.values)
        }
        for entry in entries {
            if let handler = entry.handler {
                entry.channel.eventLoop.execute { handler.value.close(code: 4_001, reason: "going away") }
            } else {
                entry.channel.close(promise: nil)
            }
        }
        for entry in entries { try? await entry.channel.closeFuture.get() }
    }
}
