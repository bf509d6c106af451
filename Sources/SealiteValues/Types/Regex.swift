/// A PCRE regular expression with its options.
public struct Regex: Sendable, Hashable {
    /// The pattern.
    public let pattern: String
    /// The options, letters in alphabetical order: `i` matches case-insensitively, with `m` `^` and `$` match at line
    /// boundaries, with `s` `.` matches line ends, with `x` white space in the pattern is ignored, `l` and `u` have no
    /// effect.
    public let options: String

    /// Creates a regular expression; the options are sorted.
    public init(_ pattern: String, options: String = "") {
        self.pattern = pattern
        self.options = String(String.UnicodeScalarView(options.unicodeScalars.sorted()))
    }

    /// Returns a Boolean value that says whether two values have the same type and content.
    public static func == (left: Regex, right: Regex) -> Bool {
        left.pattern.utf8.elementsEqual(right.pattern.utf8) && left.options.utf8.elementsEqual(right.options.utf8)
    }

    /// Feeds the content to a hasher.
    public func hash(into hasher: inout Hasher) {
        ExactKey.hash(pattern, into: &hasher)
        ExactKey.hash(options, into: &hasher)
    }
}
