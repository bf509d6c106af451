internal import CPCRE2
internal import Synchronization

/// A compiled regular expression. https://www.pcre.org/current/doc/html/pcre2api.html
///
/// Compiling and matching take bounded time for any pattern and string; if a limit is reached there is no result. An
/// object is used by one thread at a time.
@safe package final class RegularExpression {
    private let code: OpaquePointer
    private let limits: OpaquePointer
    private var places: OpaquePointer

    /// The maximum size of a pattern in bytes.
    static let maximumPatternByteCount = 4096
    /// The maximum number of backtracking steps of one search for a match, in addition to a number for each byte of the
    /// string.
    private static let triesPerMatch = 300_000
    private static let triesPerByte = 16
    /// The maximum memory for backtracking of one search for a match, in KiB.
    private static let maximumKibibytes: UInt32 = 16 * 1024
    /// The size of strings in bytes up to which the memory of PCRE's match data is kept; longer strings may leave too
    /// much of it allocated.
    private static let shortByteCount = 16 * 1024

    /// The options of PCRE with which every pattern is compiled.
    private static let common = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT

    /// The options for ECMAScript's behavior, where it differs from PCRE's: `$` doesn't match before a final line feed,
    /// `\uHHHH` is a scalar, a back reference to an unset group matches the empty string.
    private static let ecmaScript = PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF

    /// Creates a regular expression in ECMAScript's syntax; nil if it is invalid or too long.
    convenience init?(_ pattern: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(pattern, options: Self.ecmaScript)
    }

    /// Creates a regular expression with options of PCRE; nil if the pattern is invalid or too long.
    init?(_ pattern: UnsafeBufferPointer<UInt8>, options: UInt32) {
        guard pattern.count <= Self.maximumPatternByteCount, let limits = unsafe pcre2_match_context_create_8(nil)
        else { return nil }
        var (error, place) = (CInt(0), 0)
        guard let code = unsafe Self.compile(pattern, options, &error, &place),
            let places = unsafe pcre2_match_data_create_from_pattern_8(code, nil)
        else {
            unsafe pcre2_match_context_free_8(limits)
            return nil
        }
        unsafe (self.code, self.limits, self.places) = (code, limits, places)
        unsafe pcre2_set_heap_limit_8(limits, Self.maximumKibibytes)
    }

    deinit {
        unsafe pcre2_match_data_free_8(places)
        unsafe pcre2_code_free_8(code)
        unsafe pcre2_match_context_free_8(limits)
    }

    private static func compile(
        _ pattern: UnsafeBufferPointer<UInt8>, _ options: UInt32, _ error: inout CInt, _ place: inout Int
    ) -> OpaquePointer? {
        guard let context = unsafe pcre2_compile_context_create_8(nil) else { return nil }
        defer { unsafe pcre2_compile_context_free_8(context) }
        // Set explicitly, since the default depends on how the library was built.
        unsafe pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_LF))
        unsafe pcre2_set_bsr_8(context, UInt32(PCRE2_BSR_UNICODE))
        return unsafe pcre2_compile_8(
            pattern.baseAddress, pattern.count, common | options, &error, &place, context)
    }

    // MARK: Matching

    /// The result of a search for a match.
    enum Outcome {
        case match
        case none
        /// The string isn't UTF-8, or a limit was reached.
        case failure
    }

    /// A search through one string. A long string is searched in steps, since some patterns examine the rest of the
    /// string at every offset; the total time is limited then.
    struct Search {
        fileprivate var start = 0
        fileprivate var options: UInt32 = 0
        fileprivate var isFirst: Bool { options == 0 }
        /// A Boolean value that says whether the last match was empty: the next one at the same offset mustn't be
        /// empty.
        fileprivate var isBehindEmptyMatch = false
        /// A Boolean value that says whether the offset of an empty match is searched again for a match that isn't
        /// empty; otherwise the search continues after the next character, as PCRE's own wrappers do.
        var triesBehindEmptyMatch = true
        /// The size of a step in bytes, chosen so that quadratic work takes some milliseconds.
        fileprivate var stepByteCount: Int
        private var lastTime = ContinuousClock.now
        private let deadline: ContinuousClock.Instant
        /// A function that says whether the operation was cancelled, which is asked between two steps, at most each ten
        /// milliseconds.
        private let isCancelled: () -> Bool
        private var lastLook: ContinuousClock.Instant
        /// The duration below which a step is short: the time for a small number of accesses to each byte of the
        /// string, since one step may examine all bytes up to the end for the first byte of a match.
        private let shortTime: Duration

        init(byteCount: Int, isCancelled: @escaping () -> Bool = { false }) {
            self.isCancelled = isCancelled
            lastLook = lastTime
            shortTime = .milliseconds(10) + .nanoseconds(5) * byteCount
            stepByteCount = max(1, (1 << 24) / max(byteCount, 1))
            deadline = lastTime + .seconds(1) + .nanoseconds(500) * byteCount
        }

        /// Lengthens the steps of the search if the last one was short, and checks the time limit.
        ///
        /// - Returns: false if the search has used up its time, or is to stop.
        fileprivate mutating func hasTime() -> Bool {
            let now = ContinuousClock.now
            if now - lastTime < shortTime, stepByteCount < Int(Int32.max) { stepByteCount *= 2 }
            lastTime = now
            if now - lastLook >= .milliseconds(10) {
                lastLook = now
                if isCancelled() { return false }
            }
            return now < deadline
        }
    }

    /// Finds the next match of a search in a string; if there is one, `place` then returns the ranges of the match and
    /// its groups.
    func next(_ search: inout Search, in text: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard search.isFirst || search.hasTime() else { return .failure }
        if search.isBehindEmptyMatch {
            guard search.triesBehindEmptyMatch else { return unsafe nextBehindCharacter(&search, in: text) }
            let options = search.options | PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED
            let result = unsafe match(text, from: search.start, to: text.count, options)
            guard result == PCRE2_ERROR_NOMATCH else { return found(result, &search) }
            return unsafe nextBehindCharacter(&search, in: text)
        }
        return unsafe nextFromStart(&search, in: text)
    }

    /// Returns whether a search is at the end of its string, where at most an empty match remains.
    func isAtEnd(_ search: Search, of text: UnsafeBufferPointer<UInt8>) -> Bool {
        let next = unsafe search.isBehindEmptyMatch ? Self.boundary(search.start + 1, text) : search.start
        return next >= text.count
    }

    private func nextBehindCharacter(_ search: inout Search, in text: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard search.start < text.count else { return .none }
        search.start = unsafe Self.boundary(search.start + 1, text)
        search.isBehindEmptyMatch = false
        return unsafe nextFromStart(&search, in: text)
    }

    private func nextFromStart(_ search: inout Search, in text: UnsafeBufferPointer<UInt8>) -> Outcome {
        while true {
            let end = min(search.start + search.stepByteCount, text.count)
            let result = unsafe match(text, from: search.start, to: end, search.options)
            // UTF-8 is validated only once.
            search.options = PCRE2_NO_UTF_CHECK
            guard result == PCRE2_ERROR_NOMATCH else { return found(result, &search) }
            guard end < text.count else { return .none }
            guard search.hasTime() else { return .failure }
            search.start = unsafe Self.boundary(end + 1, text)
        }
    }

    private func found(_ result: CInt, _ search: inout Search) -> Outcome {
        guard result > 0, let place = place(0), place.upperBound > search.start || !search.isBehindEmptyMatch else {
            return .failure
        }
        search.isBehindEmptyMatch = place.isEmpty
        search.start = max(search.start, place.upperBound)
        return .match
    }

    private func match(_ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, _ options: UInt32) -> CInt {
        let tries = UInt32(clamping: Self.triesPerMatch + min(text.count, 1 << 26) * Self.triesPerByte)
        unsafe pcre2_set_match_limit_8(limits, tries)
        unsafe pcre2_set_depth_limit_8(limits, tries)
        unsafe pcre2_set_offset_limit_8(limits, end)
        return unsafe pcre2_match_8(code, text.baseAddress, text.count, start, options, places, limits)
    }

    /// Returns the offset of the first boundary between UTF-8 encoded scalars at or after `offset`.
    private static func boundary(_ offset: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int {
        var offset = min(offset, text.count)
        while unsafe offset < text.count && text[offset] & 0xC0 == 0x80 { offset += 1 }
        return offset
    }

    /// Returns the byte range of the group with a number in the last match, 0 for the whole match; nil for a group that
    /// isn't set or doesn't exist.
    package func place(_ group: Int) -> Range<Int>? {
        guard group >= 0, group < groupCount, let offsets = unsafe pcre2_get_ovector_pointer_8(places) else {
            return nil
        }
        let (start, end) = unsafe (offsets[2 * group], offsets[2 * group + 1])
        // An unset group has the maximum value of C's type; \K in an assertion may move the end before the start.
        return start >= 0 && start <= end ? start..<end : nil
    }

    /// The number of groups of the pattern, the whole match included.
    package var groupCount: Int { Int(unsafe pcre2_get_ovector_count_8(places)) }

    /// Replaces PCRE's match data after a search through a long string, because the memory that was allocated for it
    /// stays allocated otherwise.
    func forget(_ text: UnsafeBufferPointer<UInt8>) {
        guard text.count > Self.shortByteCount,
            let fresh = unsafe pcre2_match_data_create_from_pattern_8(code, nil)
        else { return }
        unsafe pcre2_match_data_free_8(places)
        unsafe places = fresh
    }
}

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

/// A compiled regular expression that several threads may use, one at a time.
package final class SharedRegularExpression: Sendable {
    private let expression: Mutex<RegularExpression>

    /// Creates a regular expression in PCRE's syntax; nil if it is invalid or too long.
    package init?(_ pattern: String, _ options: RegularExpression.Options = []) {
        guard let expression = RegularExpression.compile(Array(pattern.utf8), options) else { return nil }
        self.expression = Mutex(expression)
    }

    /// Returns a Boolean value that says whether there is a match in a string; nil if matching takes too long.
    package func hasMatch(in text: String) -> Bool? {
        let text = Array(text.utf8)
        return expression.withLock { $0.hasMatch(in: text) }
    }
}
