/// A PCRE regular expression with its options.
public struct Regex: Sendable, Hashable {
    /// The pattern.
    public let pattern: String
    /// The options, letters in alphabetical order: `i` (upper and lower case match each other), `m` (`^` and `$` also
    /// match at line boundaries), `s` (`.` also matches line ends), `x` (white space in the pattern is ignored), `l`
    /// and `u` (no effect).
    public let options: String

    /// Creates a regular expression; the options are sorted.
    public init(_ pattern: String, options: String = "") {
        self.pattern = pattern
        self.options = String(String.UnicodeScalarView(options.unicodeScalars.sorted()))
    }

    /// Returns whether two regular expressions have the same pattern and options, byte by byte.
    public static func == (left: Regex, right: Regex) -> Bool {
        left.pattern.utf8.elementsEqual(right.pattern.utf8) && left.options.utf8.elementsEqual(right.options.utf8)
    }

    /// Feeds the content to a hasher.
    public func hash(into hasher: inout Hasher) {
        ExactKey.hash(pattern, into: &hasher)
        ExactKey.hash(options, into: &hasher)
    }
}
