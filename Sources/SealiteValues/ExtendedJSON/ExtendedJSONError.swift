public import SealiteJSON

/// The reason why a text isn't Extended JSON: what was due and where, never what stood there.
public struct ExtendedJSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The text isn't JSON, or has an object with the same name twice.
        case malformed
        /// Arrays and objects are nested deeper than 500 levels.
        case tooDeep
        /// A wrapper such as `$oid` doesn't have the members or the value that it has to have.
        case invalidWrapper
        /// A name or a regular expression has a null byte in it, which BSON can't hold.
        case nullByte
        /// The value isn't a document.
        case notADocument
    }

    /// The kind of failure.
    public let code: Code
    /// The position in bytes.
    public let offset: Int
    /// A phrase that says what was due.
    public let reason: String

    /// A sentence about the failure.
    public var description: String { "\(reason) (byte \(offset))" }

    init(_ code: Code, at offset: Int, _ reason: String) {
        (self.code, self.offset, self.reason) = (code, offset, reason)
    }
}

extension ExtendedJSONError: JSONFailure {
    /// The error for one of the JSON reader.
    public init(_ error: JSONError, byteCount: Int) {
        self.init(error.code == .tooDeep ? .tooDeep : .malformed, at: error.offset, error.reason)
    }
}
