/// The reason why bytes are not the JSON or JSONB that is due: what was due and where, never what stood there.
public struct JSONError: Error, Sendable, Equatable {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The bytes are not JSON, or not JSONB.
        case malformed
        /// An object has a name twice.
        case duplicateName
        /// Arrays and objects are nested deeper than the rules allow.
        case tooDeep
        /// A value of another kind is due.
        case wrongKind
        /// A list has more items than the caller takes.
        case tooMany
        /// A number doesn't fit the type that is due.
        case outOfRange
    }

    /// The kind of failure.
    public let code: Code
    /// The position in bytes.
    public let offset: Int
    /// A phrase that says what was due.
    public let reason: String

    /// An error.
    public init(_ code: Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }
}

/// The error type of a caller of `JSONMemberReader`.
public protocol JSONFailure: Error {
    /// The caller's error for one of the reader.
    ///
    /// - Parameters:
    ///   - error: what the reader found.
    ///   - byteCount: the length of the text.
    init(_ error: JSONError, byteCount: Int)
}

extension JSONError: JSONFailure {
    /// The error itself.
    public init(_ error: JSONError, byteCount: Int) { self = error }
}

/// The differences between readers of JSON (Documentation/JSON.md §1.1).
public struct JSONRules: Sendable {
    /// The ways to read half of a surrogate pair.
    public enum LoneSurrogates: Sendable {
        /// They make the text malformed.
        case refused
        /// They read as U+FFFD.
        case replaced
    }

    /// The ways to read an object that has a name twice.
    public enum DuplicateNames: Sendable {
        /// They make the text malformed.
        case refused
        /// They are handed to the caller.
        case passedOn
    }

    /// The deepest nesting of arrays and objects, the outermost one counted.
    public var maximumDepth: Int
    /// The reading of lone surrogate escapes.
    public var loneSurrogates: LoneSurrogates
    /// The reading of names that come twice.
    public var duplicateNames: DuplicateNames

    /// Rules of one's own.
    public init(maximumDepth: Int, loneSurrogates: LoneSurrogates, duplicateNames: DuplicateNames) {
        self.maximumDepth = maximumDepth
        self.loneSurrogates = loneSurrogates
        self.duplicateNames = duplicateNames
    }

    /// The rules for bodies of documents: what could only be kept by guessing is refused.
    public static let documents = JSONRules(maximumDepth: 500, loneSurrogates: .refused, duplicateNames: .refused)
    /// The rules for messages of other programs.
    public static let messages = JSONRules(maximumDepth: 100, loneSurrogates: .replaced, duplicateNames: .passedOn)
    /// The rules for small files and records of Sealite's own.
    public static let records = JSONRules(maximumDepth: 17, loneSurrogates: .refused, duplicateNames: .refused)
}

/// The kinds of JSON values.
public enum JSONKind: Sendable, Hashable { case object, array, string, number, boolean, null }
