internal import CPCRE2

extension RegularExpression {
    /// The options of patterns in PCRE's syntax.
    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Case-insensitive matching.
        package static let caseInsensitive = Options(rawValue: PCRE2_CASELESS)
        /// `^` and `$` match at line boundaries.
        package static let multipleLines = Options(rawValue: PCRE2_MULTILINE)
        /// `.` matches line ends.
        package static let dotMatchesLineEnds = Options(rawValue: PCRE2_DOTALL)
        /// White space in the pattern is ignored, and `#` begins a comment.
        package static let extended = Options(rawValue: PCRE2_EXTENDED)
    }

    /// Returns a compiled pattern in PCRE's syntax; nil if it is invalid or too long.
    package static func compile(_ pattern: [UInt8], _ options: Options) -> RegularExpression? {
        unsafe pattern.withUnsafeBufferPointer { unsafe RegularExpression($0, options: options.rawValue) }
    }

    /// Calls a function for each match in a string until it returns false. During a call, `place` of its argument
    /// returns the ranges of the match and its groups. An empty match at the end of the string isn't found if the
    /// previous match ends there, or is empty and ends one character before.
    ///
    /// - Returns: false if the string isn't UTF-8, matching takes too long, or `isCancelled` returns true, which is called
    ///   each ten milliseconds.
    package func forEachMatch(
        in text: [UInt8], isCancelled: @escaping () -> Bool = { false }, _ body: (RegularExpression) throws -> Bool
    ) rethrows -> Bool {
        try unsafe text.withUnsafeBufferPointer { text in
            defer { unsafe forget(text) }
            var search = Search(byteCount: text.count, isCancelled: isCancelled)
            search.triesBehindEmptyMatch = false
            while true {
                switch unsafe next(&search, in: text) {
                case .match: guard try body(self), unsafe !isAtEnd(search, of: text) else { return true }
                case .none: return true
                case .failure: return false
                }
            }
        }
    }

    /// Returns a Boolean value that says whether there is a match in a string; nil if the string isn't UTF-8, or
    /// matching takes too long.
    package func hasMatch(in text: [UInt8]) -> Bool? {
        var isFound = false
        let isComplete = forEachMatch(in: text) { _ in
            isFound = true
            return false
        }
        return isComplete ? isFound : nil
    }
}
