public import SealiteBase
public import SealiteJSON

/// The error for a text that isn't Extended JSON: what is wrong and at which offset, never the content.
public struct ExtendedJSONError: SealiteError, Sendable, Equatable {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The text isn't JSON, or contains an object that has a name twice.
        case malformed
        /// Arrays and objects are nested deeper than 500 levels.
        case tooDeep
        /// An object that starts with a name such as `$oid`, and so represents a value of a type that JSON lacks,
        /// doesn't have the required members or values.
        case invalidWrapper
        /// The name of a member contains a null byte, which BSON can't represent.
        case nullByte
        /// The text contains another value where a document is expected.
        case notADocument
    }

    /// The kind of failure.
    public let code: Code
    /// The offset in bytes from the start of the text, at which the error was found.
    public let offset: Int
    /// A phrase that says what is wrong.
    public let reason: String
    /// The name of ``code`` as lowercase words with hyphens, such as `too-deep`.
    public var identifier: String { Self.identifier(of: code) }

    /// The reason, followed by the offset in parentheses.
    public var description: String { "\(reason) (byte \(offset))" }

    init(_ code: Code, at offset: Int, _ reason: String) {
        (self.code, self.offset, self.reason) = (code, offset, reason)
    }
}

extension ExtendedJSONError: JSONFailure {
    /// Creates the error for an error of the JSON reader: with its offset and reason, and the code `tooDeep` or
    /// `malformed`. The length of the text, `byteCount`, isn't used.
    public init(_ error: JSONError, byteCount: Int) {
        self.init(error.code == .tooDeep ? .tooDeep : .malformed, at: error.offset, error.reason)
    }
}
