/// The reason for refusing a request or reply of the replication protocol.
///
/// Equality looks at the code. The reason names profiles, properties and numbers, never content.
package struct MessageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fault of the message.
    package enum Code: Sendable, Hashable {
        /// The body is not JSON.
        case notJSON
        /// The body is JSON of another shape.
        case wrongShape
        /// A property is missing.
        case missingProperty
        /// A property cannot be read.
        case badProperty
        /// A list is longer, or a text larger, than `MessageLimits` allows.
        case tooLarge
        /// The `collection` property is missing, or not one of this connection.
        case badCollection
    }

    package let code: Code
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package static func == (left: MessageError, right: MessageError) -> Bool { left.code == right.code }

    package var description: String { reason }

    /// The error reply that a peer gets: HTTP 400, or 413 for what is too large.
    package var reply: BLIPErrorReply { BLIPErrorReply(code: code == .tooLarge ? 413 : 400, message: reason) }
}

/// The limits of a peer's messages of the replication protocol.
package struct MessageLimits: Sendable, Hashable {
    /// Most rows of a list: changes, proposals, answers to them. Peers send 200.
    package var rowCount = 10_000
    /// Most collections of one connection.
    package var collectionCount = 1_000
    /// Largest document ID, in bytes. Sync Gateway takes 250.
    package var documentIDByteCount = 1_024
    /// Largest revision ID or version vector, in bytes.
    package var versionByteCount = 8_192
    /// Largest sequence, as JSON text, in bytes.
    package var sequenceByteCount = 256
    /// Most revisions in a history.
    package var historyCount = 10_000
    /// Most revisions that a wanted row names as ancestors which the receiver has, and the largest of their IDs in bytes. They only
    /// shorten the history that is sent, so what is beyond is passed over. Couchbase Lite names 10, and no revision that is stored
    /// here has a longer ID.
    package var ancestorCount = 20
    package var ancestorByteCount = 300
    /// Largest replication checkpoint that is stored for a peer, in bytes: some 400 ranges of sequences.
    package var checkpointByteCount = 8 << 10
    /// Largest replication checkpoint that is read from a remote, in bytes. Those that are written here have some 4,500.
    package var remoteCheckpointByteCount = 32 << 10
    /// Largest ID of a replication checkpoint, in bytes. Couchbase Lite's have 31.
    package var checkpointIDByteCount = 255

    package init() {}
}
