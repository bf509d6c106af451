/// An error of the MongoDB-style API, with the number by which MongoDB knows it.
///
/// A message names paths, operators and types, never values of documents.
public struct MongoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// MongoDB's number for the error.
    public let code: Int
    /// MongoDB's name for the number; `Location` and the number where it has none.
    public let codeName: String
    /// The sentence that says what was wrong.
    public let message: String

    /// An error of a number; its name follows from it.
    public init(code: Int, _ message: String) {
        self.code = code
        codeName = Self.names[code] ?? "Location\(code)"
        self.message = message
    }

    /// The number's name, the number and the sentence.
    public var description: String { "\(codeName) (\(code)): \(message)" }

    private static let names: [Int: String] = [
        2: "BadValue", 9: "FailedToParse", 14: "TypeMismatch", 15: "Overflow", 20: "IllegalOperation",
        26: "NamespaceNotFound", 27: "IndexNotFound", 28: "PathNotViable", 40: "ConflictingUpdateOperators",
        48: "NamespaceExists", 52: "DollarPrefixedFieldName", 53: "InvalidIdField", 54: "NotSingleValueField",
        55: "InvalidDBRef", 56: "EmptyFieldName", 57: "DottedFieldName", 59: "CommandNotFound", 66: "ImmutableField",
        67: "CannotCreateIndex", 68: "IndexAlreadyExists", 72: "InvalidOptions", 73: "InvalidNamespace",
        85: "IndexOptionsConflict", 86: "IndexKeySpecsConflict", 96: "OperationFailed",
        121: "DocumentValidationFailure", 146: "ExceededMemoryLimit", 168: "InvalidPipelineOperator",
        171: "CannotIndexParallelArrays", 197: "InvalidIndexSpecificationOption", 241: "ConversionFailure",
        10334: "BSONObjectTooLarge", 11000: "DuplicateKey",
    ]
}

extension MongoError {
    /// An operand that isn't what the operator takes.
    static func badValue(_ message: String) -> MongoError { MongoError(code: 2, message) }
    /// A specification that doesn't read as one.
    static func failedToParse(_ message: String) -> MongoError { MongoError(code: 9, message) }
    /// An operand of another type than the operator takes.
    static func typeMismatch(_ message: String) -> MongoError { MongoError(code: 14, message) }
    /// A result or a state that takes more memory than is allowed.
    static func tooLarge(_ message: String) -> MongoError { MongoError(code: 146, message) }
}
