internal import SealiteBase
internal import SealiteCredentials

/// Counts the bytes that a connection has accepted from senders and not yet written to the network, and makes senders
/// wait above a high-water mark. Thread-safe.
final class SendWindow: Sendable {
    private struct State {
        var pendingByteCount = 0
        var end: TransportError?
    }
    private let state = Condition(State())
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
        state.change { $0.pendingByteCount -= byteCount }
    }

    /// Ends sending: every later send fails with the error. Only the first error counts.
    func close(_ error: TransportError) {
        state.change { state in
            if state.end == nil { state.end = error }
        }
    }

    /// Returns when there is room for more bytes. If the number of pending bytes has reached the high-water mark, waits
    /// until half of them were written.
    ///
    /// - Throws: the reason for which the connection has ended.
    func waitForRoom() async throws(TransportError) {
        let hasRoom = state.withLock { $0.end != nil || $0.pendingByteCount < highWaterMark }
        if !hasRoom {
            await state.waitThroughCancellation { [highWaterMark] state in
                state.end != nil || state.pendingByteCount <= highWaterMark / 2
            }
        }
        if let end = state.withLock(\.end) { throw end }
    }
}
