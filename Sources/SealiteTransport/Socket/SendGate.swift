internal import SealiteCredentials
internal import Synchronization

/// Counts the bytes that a connection has taken and not yet written to the network, and makes senders wait. Thread-safe.
final class SendGate: Sendable {
    private struct State {
        var pendingByteCount = 0
        var end: TransportError?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())
    private let highWaterMark: Int

    init(highWaterMark: Int) { self.highWaterMark = highWaterMark }

    /// Adds bytes that are about to be written.
    ///
    /// - Throws: the reason for which the connection has ended.
    func begin(_ byteCount: Int) throws(TransportError) {
        let end = state.withLock { state in
            if state.end == nil { state.pendingByteCount += byteCount }
            return state.end
        }
        if let end { throw end }
    }

    /// Subtracts bytes that were written, or never will be.
    func finish(_ byteCount: Int) {
        let woken = state.withLock { state in
            state.pendingByteCount -= byteCount
            return state.pendingByteCount <= highWaterMark / 2 ? Self.take(&state.waiting) : []
        }
        for sender in woken { sender.resume() }
    }

    /// Makes all sending fail; only the first reason counts.
    func close(_ error: TransportError) {
        let woken = state.withLock { state in
            if state.end == nil { state.end = error }
            return Self.take(&state.waiting)
        }
        for sender in woken { sender.resume() }
    }

    /// Waits until the number of pending bytes is below the high-water mark.
    ///
    /// - Throws: the reason for which the connection has ended.
    func waitForRoom() async throws(TransportError) {
        while true {
            let (end, hasRoom) = state.withLock { ($0.end, $0.pendingByteCount < highWaterMark) }
            if let end { throw end }
            if hasRoom { return }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.end == nil, state.pendingByteCount >= highWaterMark else { return false }
                    state.waiting.append(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }

    private static func take(
        _ waiting: inout [CheckedContinuation<Void, Never>]
    ) -> [CheckedContinuation<Void, Never>] {
        defer { waiting = [] }
        return waiting
    }
}
