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
