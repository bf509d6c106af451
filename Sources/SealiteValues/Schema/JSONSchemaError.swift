public import SealiteBase

/// The error for an invalid JSON Schema: the path in the schema, never its content.
public struct JSONSchemaError: SealiteError, Sendable, Equatable {
    /// MongoDB's codes for the reasons.
    public enum Code: Int, Sendable, Hashable {
        /// A type in the schema has an unknown name.
        case badValue = 2
        /// A keyword isn't supported, or its value isn't valid.
        case failedToParse = 9
        /// A keyword's value has a type that the keyword doesn't accept.
        case typeMismatch = 14
        /// A regular expression in the schema is invalid.
        case invalidPattern = 51091
    }

    /// MongoDB's error code.
    public let code: Code
    /// The path from the schema's root to the keyword: names and indices joined by dots, empty for the root.
    public let path: String
    /// A phrase that says what is wrong or was expected.
    public let reason: String
    /// The name of ``code`` as lowercase words with hyphens, such as `failed-to-parse`.
    public var identifier: String { Self.identifier(of: code) }

    /// The path in the schema, and the reason.
    public var description: String { "$jsonSchema at '\(path)': \(reason)" }

    init(_ code: Code, at path: String, _ reason: String) { (self.code, self.path, self.reason) = (code, path, reason) }
}
