package import SealiteJSON
internal import SealiteRevisions

/// The reason for refusing a request or reply of the replication protocol.
///
/// Errors are equal if their codes are. The reason names profiles, properties and numbers, never content.
package struct MessageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fault of the message.
    package enum Code: Sendable, Hashable {
        /// The body, or a property that contains JSON, isn't valid JSON.
        case notJSON
        /// The body, or a property that contains JSON, isn't of the structure that the message requires.
        case wrongShape
        /// A required property is missing or empty.
        case missingProperty
        /// A property, or an element of a list, has an invalid value.
        case badProperty
        /// A list is longer, or a text larger, than `MessageLimits` allows.
        case tooLarge
        /// The message doesn't refer to a collection of this connection in a valid way: for example, its `collection`
        /// property is missing or isn't a valid index.
        case badCollection
    }

    package let code: Code
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The text of the error for a `collection` property that is malformed, missing or not allowed.
    static let collectionPropertyReason =
        "the property 'collection' must be an index into the list of getCollections, or absent if getCollections wasn't sent"

    package static func == (left: MessageError, right: MessageError) -> Bool { left.code == right.code }

    package var description: String { reason }

    /// The error reply to the peer: HTTP 400, or 413 for a message that is too large.
    package var reply: BLIPErrorReply { BLIPErrorReply(code: code == .tooLarge ? 413 : 400, message: reason) }
}

/// The limits on the messages of the replication protocol that this side accepts from a peer.
package struct MessageLimits: Sendable, Hashable {
    /// The maximum number of rows in a list of changes or proposals, or in the reply to one, and of document IDs in a
    /// subscription. Known peers send at most 200 rows.
    package var rowCount = 10_000
    /// The maximum number of collections of one connection. The checkpoints of so many, of a replicator's 4,500 bytes at
    /// most, fit into one message.
    package var collectionCount = 5_000
    /// The maximum length of a document ID, in bytes. Sync Gateway accepts 250.
    package var documentIDByteCount = 1_024
    /// The maximum length of a revision ID or version vector, in bytes.
    package var versionByteCount = 8_192
    /// The maximum length of a remote sequence as JSON text, in bytes.
    package var sequenceByteCount = 256
    /// The maximum number of revisions in a history.
    package var historyCount = 10_000
    /// The maximum number of known ancestors that are read from the reply to one row of a list of changes. Further ones
    /// are ignored, since ancestors only shorten the history that is sent. Couchbase Lite names 10.
    package var ancestorCount = 20
    /// The maximum length of a known ancestor's ID in a reply to a list of changes, in bytes. Ancestors with longer
    /// IDs, which no locally stored revision has, are ignored.
    package var ancestorByteCount = 300
    /// The maximum size of a replication checkpoint that is stored for a peer, in bytes: about 400 ranges of sequences.
    package var checkpointByteCount = 8 << 10
    /// The maximum size of a replication checkpoint that is read from a remote, in bytes. Checkpoints of this
    /// implementation have about 4,500 bytes at most.
    package var remoteCheckpointByteCount = 32 << 10
    /// The maximum length of a replication checkpoint's ID, in bytes. Couchbase Lite's IDs have 31.
    package var checkpointIDByteCount = 255

    package init() {}
}

/// Reads the lists of rows in `changes` and `proposeChanges` and in the replies to them.
enum MessageList {
    /// Reads the array in the body of a message, and calls `item` to read each element. An empty body and `null` are
    /// empty arrays.
    static func read(
        _ body: [UInt8], limits: MessageLimits, _ item: (inout JSONReader) throws(MessageError) -> Void
    ) throws(MessageError) {
        guard !body.isEmpty else { return }
        var reader = JSONReader(body)
        if try reader.peek() == .null {
            _ = try reader.rawValue()
        } else {
            try reader.array(limit: limits.rowCount, item)
        }
        try reader.end()
    }

    static func documentID(_ reader: inout JSONReader, _ limits: MessageLimits) throws(MessageError) -> String {
        let id = try reader.string()
        guard !id.isEmpty else { throw MessageError(.badProperty, "a document ID is empty") }
        guard id.utf8.count <= limits.documentIDByteCount else {
            throw MessageError(.tooLarge, "a document ID has more than \(limits.documentIDByteCount) bytes")
        }
        return id
    }

    /// Reads the body size in a row, in bytes. The size is informative, so an invalid size is ignored: the result is
    /// then nil.
    static func size(_ reader: inout JSONReader) throws(MessageError) -> UInt64? {
        UInt64(String(decoding: try reader.rawValue(), as: UTF8.self))
    }
}

/// Reads a peer's JSON.
package typealias JSONReader = JSONMemberReader<MessageError>

/// Writes JSON for a peer.
package typealias JSONWriter = JSONTextWriter

extension MessageError: JSONFailure {
    /// Converts an error from reading a message's JSON, which has `byteCount` bytes.
    package init(_ error: JSONError, byteCount: Int) {
        switch error.code {
        case .malformed, .duplicateName:
            self.init(
                .notJSON,
                "the JSON is invalid, or an object in it has a name twice (at byte \(error.offset) of \(byteCount))")
        case .tooDeep: self.init(.tooLarge, "the JSON is \(error.reason)")
        case .tooMany: self.init(.tooLarge, error.reason)
        case .wrongKind, .outOfRange: self.init(.wrongShape, error.reason)
        }
    }
}

extension String {
    /// Decodes UTF-8; nil if it is invalid. The standard library's `String(validating:as:)` decodes one scalar at a
    /// time, which is slow for the dozen fields of every message.
    init?(utf8 bytes: ArraySlice<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
        self.init(copying: text)
    }
}
