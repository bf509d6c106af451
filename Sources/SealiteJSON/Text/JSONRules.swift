/// The options of JSON parsers (Documentation/JSON.md §1.1).
public struct JSONRules: Sendable {
    /// The treatment of escapes of unpaired surrogates, such as `\ud800`, in strings.
    public enum LoneSurrogates: Sendable {
        /// The text is refused as malformed.
        case refused
        /// The escape is replaced by U+FFFD.
        case replaced
    }

    /// The treatment of objects that contain a name twice.
    public enum DuplicateNames: Sendable {
        /// The text is refused.
        case refused
        /// All members, those with the same name included, are passed to the caller.
        case passedOn
    }

    /// The maximum nesting depth of arrays and objects, the outermost one included.
    public var maximumDepth: Int
    /// The treatment of escapes of unpaired surrogates, such as `\ud800`, in strings.
    public var loneSurrogates: LoneSurrogates
    /// The treatment of names that occur twice.
    public var duplicateNames: DuplicateNames

    /// Creates rules for a parser.
    public init(maximumDepth: Int, loneSurrogates: LoneSurrogates, duplicateNames: DuplicateNames) {
        self.maximumDepth = maximumDepth
        self.loneSurrogates = loneSurrogates
        self.duplicateNames = duplicateNames
    }

    /// The rules for bodies of documents: ambiguous texts are refused.
    public static let documents = JSONRules(maximumDepth: 500, loneSurrogates: .refused, duplicateNames: .refused)
    /// The rules for JSON received from other programs.
    public static let messages = JSONRules(maximumDepth: 100, loneSurrogates: .replaced, duplicateNames: .passedOn)
    /// The rules for Sealite's own small files and records.
    public static let records = JSONRules(maximumDepth: 17, loneSurrogates: .refused, duplicateNames: .refused)
}
