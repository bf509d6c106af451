/// The reason why a JSON Schema is refused: the place in the schema, never what stands there.
public struct JSONSchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// MongoDB's codes for the reasons.
    public enum Code: Int, Sendable, Hashable {
        /// A name of a type that doesn't exist.
        case badValue = 2
        /// A keyword that isn't supported, or a value that makes no sense.
        case failedToParse = 9
        /// A value of a type that the keyword doesn't take.
        case typeMismatch = 14
        /// A pattern that is no regular expression.
        case invalidPattern = 51091
    }

    /// MongoDB's code.
    public let code: Code
    /// The names from the schema's root to the keyword, with points between them.
    public let path: String
    /// A phrase that says what was due.
    public let reason: String

    /// A sentence about the failure.
    public var description: String { "$jsonSchema at '\(path)': \(reason)" }

    init(_ code: Code, at path: String, _ reason: String) { (self.code, self.path, self.reason) = (code, path, reason) }
}
