public import SealiteBase

/// The error for bytes that aren't BSON, or for a document that BSON can't represent: what is wrong and at which
/// offset, never the content.
public struct BSONBytesError: SealiteError, Sendable, Equatable {
    /// The offset in bytes from the start of the BSON, at which the error was found; 0 for an error that occurs while a
    /// document is written.
    public let offset: Int
    /// A phrase that says what is wrong.
    public let reason: String
    /// The identifier of all errors of this type: `malformed-bson`.
    public var identifier: String { "malformed-bson" }

    /// The reason, followed by the offset in parentheses.
    public var description: String { "\(reason) (byte \(offset))" }

    init(at offset: Int, _ reason: String) { (self.offset, self.reason) = (offset, reason) }
}
