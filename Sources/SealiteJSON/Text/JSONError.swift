/// The error for bytes that aren't the expected JSON or JSONB: what was expected and at which offset, never the
/// content.
public struct JSONError: Error, Sendable, Equatable {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The bytes are not JSON, or not JSONB.
        case malformed
        /// An object contains a name twice.
        case duplicateName
        /// Arrays and objects are nested deeper than the rules allow.
        case tooDeep
        /// A value of another kind is expected.
        case wrongKind
        /// A list has more items than the caller accepts.
        case tooMany
        /// A number doesn't fit the expected type.
        case outOfRange
    }

    /// The kind of failure.
    public let code: Code
    /// The position in bytes.
    public let offset: Int
    /// A phrase that says what was expected.
    public let reason: String

    /// Creates an error.
    public init(_ code: Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }
}

/// The error type of a caller of `JSONMemberReader`.
public protocol JSONFailure: Error {
    /// Creates the caller's error for an error of the reader.
    ///
    /// - Parameters:
    ///   - error: the error of the reader.
    ///   - byteCount: the length of the text.
    init(_ error: JSONError, byteCount: Int)
}

extension JSONError: JSONFailure {
    /// Creates a copy of the error.
    public init(_ error: JSONError, byteCount: Int) { self = error }
}

/// The options of JSON parsers (Documentation/JSON.md §1.1).
public struct JSONRules: Sendable {
    /// The treatment of escapes of unpaired surrogates.
    public enum LoneSurrogates: Sendable {
        /// The text is malformed.
        case refused
        /// The escape is replaced by U+FFFD.
        case replaced
    }

    /// The treatment of objects that contain a name twice.
    public enum DuplicateNames: Sendable {
        /// The text is refused.
        case refused
        /// All members are passed to the caller.
        case passedOn
    }

    /// The maximum nesting depth of arrays and objects, the outermost one included.
    public var maximumDepth: Int
    /// The treatment of escapes of unpaired surrogates.
    public var loneSurrogates: LoneSurrogates
    /// The treatment of names that occur twice.
    public var duplicateNames: DuplicateNames

    /// Creates rules.
    public init(maximumDepth: Int, loneSurrogates: LoneSurrogates, duplicateNames: DuplicateNames) {
        self.maximumDepth = maximumDepth
        self.loneSurrogates = loneSurrogates
        self.duplicateNames = duplicateNames
    }

    /// The rules for bodies of documents: ambiguous texts are refused.
    public static let documents = JSONRules(maximumDepth: 500, loneSurrogates: .refused, duplicateNames: .refused)
    /// The rules for messages of other programs.
    public static let messages = JSONRules(maximumDepth: 100, loneSurrogates: .replaced, duplicateNames: .passedOn)
    /// The rules for Sealite's own small files and records.
    public static let records = JSONRules(maximumDepth: 17, loneSurrogates: .refused, duplicateNames: .refused)
}

/// The kinds of JSON values.
public enum JSONKind: Sendable, Hashable { case object, array, string, number, boolean, null }
