public import SealiteBase

/// The error for bytes that aren't the expected JSON or JSONB: what is wrong and at which offset, never the content.
public struct JSONError: SealiteError, Sendable, Equatable {
    /// The kinds of failure to read JSON or JSONB.
    public enum Code: Sendable, Hashable {
        /// The bytes are not JSON, or not JSONB.
        case malformed
        /// An object contains a name twice.
        case duplicateName
        /// Arrays and objects are nested deeper than the rules allow.
        case tooDeep
        /// The value is of another kind than the caller expects.
        case wrongKind
        /// A list has more items than the caller accepts.
        case tooMany
        /// A number doesn't fit the expected type.
        case outOfRange
    }

    /// The kind of failure.
    public let code: Code
    /// The offset in bytes from the start of the text, at which the error was found.
    public let offset: Int
    /// A phrase that says what is wrong.
    public let reason: String
    /// The name of ``code`` as lowercase words with hyphens, such as `duplicate-name`.
    public var identifier: String { Self.identifier(of: code) }
    /// The reason, followed by the offset in parentheses.
    public var description: String { "\(reason) (byte \(offset))" }

    /// Creates an error.
    public init(_ code: Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }
}

extension JSONError: JSONFailure {
    /// Creates a copy of the error: for callers whose error type is `JSONError` itself.
    public init(_ error: JSONError, byteCount: Int) { self = error }
}

/// An error type that a caller of `JSONMemberReader` chooses for the errors of the reader.
public protocol JSONFailure: Error {
    /// Creates the caller's error for an error of the reader.
    ///
    /// - Parameters:
    ///   - error: the error of the reader.
    ///   - byteCount: the length of the JSON text in bytes.
    init(_ error: JSONError, byteCount: Int)
}
