public import SealiteCrypto

/// The error for an invalid JSON Schema: the path in the schema, never its content.
public struct JSONSchemaError: SealiteError, Sendable, Equatable {
    /// MongoDB's codes for the reasons.
    public enum Code: Int, Sendable, Hashable {
        /// An unknown name of a type.
        case badValue = 2
        /// A keyword that isn't supported, or a value that isn't valid.
        case failedToParse = 9
        /// A value of a type that the keyword doesn't accept.
        case typeMismatch = 14
        /// An invalid regular expression.
        case invalidPattern = 51091
    }

    /// MongoDB's error code.
    public let code: Code
    /// The path from the schema's root to the keyword: names joined by dots.
    public let path: String
    /// A phrase that says what was expected.
    public let reason: String
    /// The code in the form that all errors have.
    public var identifier: String { Self.identifier(of: code) }

    /// A description of the failure in a sentence.
    public var description: String { "$jsonSchema at '\(path)': \(reason)" }

    init(_ code: Code, at path: String, _ reason: String) { (self.code, self.path, self.reason) = (code, path, reason) }
}
