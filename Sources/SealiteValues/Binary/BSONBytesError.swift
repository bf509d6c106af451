/// The reason why bytes aren't BSON, or why a document has none: what was due and where, never what stood there.
public struct BSONBytesError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The position in bytes; 0 where a document is written.
    public let offset: Int
    /// A phrase that says what was due.
    public let reason: String

    /// A sentence about the failure.
    public var description: String { "\(reason) (byte \(offset))" }

    init(at offset: Int, _ reason: String) { (self.offset, self.reason) = (offset, reason) }
}
