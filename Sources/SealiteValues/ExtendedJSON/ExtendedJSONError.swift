public import SealiteCrypto
public import SealiteJSON

/// The error for a text that isn't Extended JSON: what was expected and at which offset, never the content.
public struct ExtendedJSONError: SealiteError, Sendable, Equatable {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The text isn't JSON, or contains an object that has a name twice.
        case malformed
        /// Arrays and objects are nested deeper than 500 levels.
        case tooDeep
        /// A wrapper such as `$oid` doesn't have the required members or value.
        case invalidWrapper
        /// A name or a regular expression contains a null byte, which BSON can't represent.
        case nullByte
        /// The value isn't a document.
        case notADocument
    }

    /// The kind of failure.
    public let code: Code
    /// The offset in bytes from the start of the text, at which the error was found.
    public let offset: Int
    /// A phrase that says what was expected.
    public let reason: String
    /// The code in the form that all errors have.
    public var identifier: String { Self.identifier(of: code) }

    /// A description of the failure in a sentence.
    public var description: String { "\(reason) (byte \(offset))" }

    init(_ code: Code, at offset: Int, _ reason: String) {
        (self.code, self.offset, self.reason) = (code, offset, reason)
    }
}

extension ExtendedJSONError: JSONFailure {
    /// Creates the error for an error of the JSON reader.
    public init(_ error: JSONError, byteCount: Int) {
        self.init(error.code == .tooDeep ? .tooDeep : .malformed, at: error.offset, error.reason)
    }
}
