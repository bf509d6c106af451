package import SealiteCredentials

/// One end of a connection within this process: for a replication between two databases of one program, and for tests.
///
/// Behaves like a socket with regard to the order of messages, back pressure and closing, and can be cut (`cut()`).
package final class MessagePipe: MessageConnection {
    package let received: MessageQueue
    private let outgoing: MessageQueue
    package let info: ConnectionInfo

    private init(received: MessageQueue, outgoing: MessageQueue, info: ConnectionInfo) {
        self.received = received
        self.outgoing = outgoing
        self.info = info
    }

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - bufferedByteCount: the number of unread bytes in each direction at which sending waits.
    ///   - info: the handshake's result that both ends report.
    /// - Returns: the two ends.
    package static func pair(
        bufferedByteCount: Int = 256 << 10, info: ConnectionInfo = ConnectionInfo()
    ) -> (MessagePipe, MessagePipe) {
        let there = MessageQueue(highWaterMark: bufferedByteCount)
        let back = MessageQueue(highWaterMark: bufferedByteCount)
        return (
            MessagePipe(received: back, outgoing: there, info: info),
            MessagePipe(received: there, outgoing: back, info: info)
        )
    }

    package func send(_ messages: [[UInt8]]) async throws(TransportError) {
        for message in messages {
            if outgoing.hasEnded { throw TransportError(.closed, "the connection is closed") }
            if !outgoing.offer([message]) { await outgoing.waitForRoom() }
        }
    }

    package func close(code: UInt16, reason: String) async {
        outgoing.finish(code == 1_000 ? .success(()) : .failure(.closedByPeer(code: Int(code), reason: reason)))
        received.finish(.success(()))
    }

    /// Cuts the connection without a close frame: both ends see `lost`.
    package func cut() {
        let lost = TransportError(.lost, "the connection was lost without a close frame")
        outgoing.finish(.failure(lost))
        received.finish(.failure(lost))
    }
}
