public import FoundationEssentials
public import SealiteBase
internal import SealiteValues

/// An error of the MongoDB API, with MongoDB's error code.
///
/// A message names paths, operators and types, never values of documents.
public struct MongoError: SealiteError, Sendable, Hashable {
    /// MongoDB's error code.
    public let code: Int
    /// MongoDB's name of the code; `Location` and the code if it has none.
    public let codeName: String
    /// The reason for the error, in a sentence.
    public let message: String
    /// The code's name in lowercase words with hyphens between them, such as `bad-value`.
    public var identifier: String { Self.identifier(of: codeName) }
    /// The same as ``message``.
    public var reason: String { message }

    /// Creates an error with one of MongoDB's codes, from which its name is derived.
    public init(code: Int, _ message: String) {
        self.code = code
        codeName = Self.names[code] ?? "Location\(code)"
        self.message = message
    }

    /// The code's name, the code and the message.
    public var description: String { "\(codeName) (\(code)): \(message)" }

    private static let names: [Int: String] = [
        2: "BadValue", 4: "NoSuchKey", 9: "FailedToParse", 12: "UnsupportedFormat", 14: "TypeMismatch",
        15: "Overflow", 20: "IllegalOperation",
        26: "NamespaceNotFound", 27: "IndexNotFound", 28: "PathNotViable", 40: "ConflictingUpdateOperators",
        48: "NamespaceExists", 52: "DollarPrefixedFieldName", 53: "InvalidIdField", 54: "NotSingleValueField",
        55: "InvalidDBRef", 56: "EmptyFieldName", 57: "DottedFieldName", 59: "CommandNotFound", 66: "ImmutableField",
        67: "CannotCreateIndex", 68: "IndexAlreadyExists", 72: "InvalidOptions", 73: "InvalidNamespace",
        85: "IndexOptionsConflict", 86: "IndexKeySpecsConflict", 96: "OperationFailed", 112: "WriteConflict",
        121: "DocumentValidationFailure", 146: "ExceededMemoryLimit", 168: "InvalidPipelineOperator",
        171: "CannotIndexParallelArrays", 197: "InvalidIndexSpecificationOption",
        224: "QueryFeatureNotAllowed", 232: "MaxSubPipelineDepthExceeded", 238: "NotImplemented",
        241: "ConversionFailure", 291: "NoQueryExecutionPlans",
        10334: "BSONObjectTooLarge", 11000: "DuplicateKey", 17280: "KeyTooLong",
    ]
}

extension MongoError {
    /// Returns the error with code 2, for an operand that an operator doesn't accept.
    static func badValue(_ message: String) -> MongoError { MongoError(code: 2, message) }
    /// Returns the error with code 9, for a specification that can't be parsed.
    static func failedToParse(_ message: String) -> MongoError { MongoError(code: 9, message) }
    /// Returns the error with code 14, for an operand of a type that an operator doesn't accept.
    static func typeMismatch(_ message: String) -> MongoError { MongoError(code: 14, message) }
    /// The error of `$divide` by zero, and that of `$mod` by zero. Their codes are other ones in accumulators.
    static let divisionByZero = MongoError.badValue("$divide can't divide by zero.")
    static let remainderByZero = MongoError(code: 16610, "$mod can't divide by zero.")
    /// Returns the error with code 146, for a result, or memory in use, that exceeds a limit.
    static func tooLarge(_ message: String) -> MongoError { MongoError(code: 146, message) }
}

extension MongoError: LocalizedError {
    /// The same as ``MongoError/message``.
    public var errorDescription: String? { message }
}

// MARK: - Checks

/// Throws an error unless a condition holds.
@inline(__always)
func require(_ holds: Bool, _ error: @autoclosure () -> MongoError) throws(MongoError) {
    guard holds else { throw error() }
}

/// Throws the error with a code and a message unless a condition holds.
@inline(__always)
func require(_ holds: Bool, _ code: Int, _ message: @autoclosure () -> String) throws(MongoError) {
    guard holds else { throw MongoError(code: code, message()) }
}

/// Returns a value; throws an error if there is none.
@inline(__always)
func require<Value>(_ value: Value?, _ error: @autoclosure () -> MongoError) throws(MongoError) -> Value {
    guard let value else { throw error() }
    return value
}

/// Returns a value; throws the error with a code and a message if there is none.
@inline(__always)
func require<Value>(_ value: Value?, _ code: Int, _ message: @autoclosure () -> String) throws(MongoError) -> Value {
    guard let value else { throw MongoError(code: code, message()) }
    return value
}

/// Returns the text of a string. Throws the error with a code for a value of another type; its message is the beginning
/// of a sentence, such as "$strLenCP takes a string", followed by the value's type.
func requireString(_ value: BSON?, _ code: Int, _ beginning: @autoclosure () -> String) throws(MongoError) -> String {
    try require(value.text, code, "\(beginning()), not \(value.typeName).")
}

/// Returns the items of an array; throws as `requireString` does.
func requireArray(_ value: BSON?, _ code: Int, _ beginning: @autoclosure () -> String) throws(MongoError) -> [BSON] {
    try require(value.items, code, "\(beginning()), not \(value.typeName).")
}

/// Returns a document; throws as `requireString` does.
func requireDocument(
    _ value: BSON?, _ code: Int, _ beginning: @autoclosure () -> String
) throws(MongoError) -> MongoDocument {
    try require(value.members, code, "\(beginning()), not \(value.typeName).")
}
