package import SealiteEndpoints
package import SealiteTransport

/// The binary messages of a connection one by one, for tests that read them in a loop. One task may iterate it, once.
package struct MessageSequence: AsyncSequence, Sendable {
    /// One binary message.
    package typealias Element = [UInt8]
    /// The reason for which the connection ended, other than an orderly close.
    package typealias Failure = TransportError

    /// The connection, which closes with its last reference.
    fileprivate let connection: any MessageConnection

    /// Makes the iterator; call it once.
    package func makeAsyncIterator() -> Iterator { Iterator(connection) }

    /// Takes all messages that have arrived at once, and returns them one by one.
    package struct Iterator: AsyncIteratorProtocol {
        private let connection: any MessageConnection
        private var batch: ArraySlice<[UInt8]> = []

        fileprivate init(_ connection: any MessageConnection) { self.connection = connection }

        /// Returns the next message; nil after an orderly end. Throws `cancelled` in a cancelled task.
        package mutating func next() async throws(TransportError) -> [UInt8]? { try await next(isolation: nil) }

        /// Returns the next message; nil after an orderly end. Throws `cancelled` in a cancelled task.
        package mutating func next(isolation actor: isolated (any Actor)?) async throws(TransportError) -> [UInt8]? {
            if batch.isEmpty {
                guard let arrived = try await connection.received.nextBatch() else { return nil }
                batch = arrived[...]
            }
            return batch.popFirst()
        }
    }
}

extension MessageConnection {
    /// The messages of the peer, one by one.
    package var messages: MessageSequence { MessageSequence(connection: self) }
}
