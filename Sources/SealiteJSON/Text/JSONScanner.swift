internal import SealiteBase

/// A parser of JSON text (RFC 8259), each of whose calls advances `position`. The text is an argument of each call
/// and must be the same each time.
///
/// All JSON parsers of this package use this type; they differ in their rules and in the receivers of the values
/// (`JSONSink`).
@usableFromInline package struct JSONScanner: Sendable {
    /// The offset in the text of the next byte to parse.
    @usableFromInline package internal(set) var position = 0
    /// The number of arrays and objects that have begun and haven't ended.
    package internal(set) var depth = 0
    @usableFromInline package let rules: JSONRules

    @usableFromInline package init(_ rules: JSONRules) { self.rules = rules }

    /// Returns the byte at `position`, 0 at the end of the text; callers never accept a 0 in the text.
    @inline(__always)
    func current(_ text: borrowing Span<UInt8>) -> UInt8 { position < text.count ? text[position] : 0 }

    @usableFromInline package func failure(_ reason: String, _ code: JSONError.Code = .malformed) -> JSONError {
        JSONError(code, at: position, reason)
    }

    @usableFromInline package mutating func skipSpace(_ text: borrowing Span<UInt8>) { passSpace(text) }

    @inline(__always)
    mutating func passSpace(_ text: borrowing Span<UInt8>) {
        while position < text.count {
            let byte = text[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    /// Returns the kind of the value at `position`, by its first byte; throws if no value starts there.
    @usableFromInline package func kind(_ text: borrowing Span<UInt8>) throws(JSONError) -> JSONKind {
        switch current(text) {
        case 0x22: return .string
        case 0x7B: return .object
        case 0x5B: return .array
        case 0x2D, 0x30...0x39: return .number
        case 0x74, 0x66: return .boolean
        case 0x6E: return .null
        default:
            throw failure(
                position >= text.count
                    ? "the text ends where a value is expected" : "no JSON value starts with these characters")
        }
    }

    /// Throws an error if anything except white space remains.
    @usableFromInline package mutating func end(_ text: borrowing Span<UInt8>) throws(JSONError) {
        passSpace(text)
        guard position == text.count else { throw failure("data follows the end of the value") }
    }

    // MARK: - Containers

    /// Skips the first byte of an array or object, and white space, and raises `depth`; throws `tooDeep` above the
    /// maximum.
    @inline(__always)
    mutating func enter(_ text: borrowing Span<UInt8>) throws(JSONError) {
        guard depth < rules.maximumDepth else {
            throw failure("nested deeper than \(rules.maximumDepth) levels", .tooDeep)
        }
        depth += 1
        position += 1
        passSpace(text)
    }

    /// Skips the end of an empty array or object, lowers `depth` and returns true; returns false if the next byte isn't
    /// `close`.
    @inline(__always)
    mutating func leaveIfEmpty(_ text: borrowing Span<UInt8>, _ close: UInt8) -> Bool {
        guard current(text) == close else { return false }
        position += 1
        depth -= 1
        return true
    }

    /// Skips a comma and returns true, or skips the end of an array or object, the byte `close`, lowers `depth` and
    /// returns false.
    @inline(__always)
    mutating func goesOn(_ text: borrowing Span<UInt8>, until close: UInt8) throws(JSONError) -> Bool {
        passSpace(text)
        switch current(text) {
        case 0x2C:
            position += 1
            passSpace(text)
            return true
        case close:
            position += 1
            depth -= 1
            return false
        default:
            throw failure(
                position >= text.count
                    ? "the text ends inside a value" : "expected a comma or the end of the array or object")
        }
    }

    /// Skips a member's name and the colon after it, and returns the name's range and properties.
    @inline(__always)
    mutating func name(_ text: borrowing Span<UInt8>) throws(JSONError) -> JSONString {
        guard current(text) == 0x22 else { throw failure("expected a member's name in quotes") }
        let name = try string(text)
        passSpace(text)
        guard current(text) == 0x3A else { throw failure("expected a colon after a member's name") }
        position += 1
        passSpace(text)
        return name
    }

    // MARK: - Scalars

    mutating func literal(_ text: borrowing Span<UInt8>, _ word: StaticString) throws(JSONError) {
        let count = word.utf8CodeUnitCount
        var matches = text.count - position >= count
        for index in 0..<count where matches { matches = unsafe text[position + index] == word.utf8Start[index] }
        guard matches else { throw failure("no JSON value starts with these characters") }
        position += count
    }

    /// Checks and skips a number.
    ///
    /// - Returns: whether the number has neither a fraction nor an exponent.
    @inline(__always)
    mutating func number(_ text: borrowing Span<UInt8>) throws(JSONError) -> Bool {
        var isInteger = true
        if current(text) == 0x2D { position += 1 }
        if current(text) == 0x30 {
            position += 1
        } else {
            try digits(text)
        }
        if current(text) == 0x2E {
            isInteger = false
            position += 1
            try digits(text)
        }
        if current(text) | 0x20 == 0x65 {
            isInteger = false
            position += 1
            if current(text) == 0x2B || current(text) == 0x2D { position += 1 }
            try digits(text)
        }
        return isInteger
    }

    @inline(__always)
    private mutating func digits(_ text: borrowing Span<UInt8>) throws(JSONError) {
        let start = position
        while current(text) >= 0x30, current(text) <= 0x39 { position += 1 }
        guard position > start else { throw failure("expected a digit in a number") }
    }
}

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

/// A string that `JSONScanner` has checked, valid UTF-8 with valid escapes: its offsets in the text and its properties.
package struct JSONString: Sendable {
    /// The offset of the string's first byte between the quotes.
    package let start: Int
    package let end: Int
    /// The number of bytes of the string after its escapes are decoded.
    package var byteCount: Int
    /// A Boolean value that says whether the text has escapes.
    package var hasEscapes = false
    /// A Boolean value that says whether the string contains a character that JSON text must escape, or DEL.
    package var needsEscape = false
}

extension JSONScanner {
    /// Checks and skips a string, and returns its range and properties; `position` must be at its first quote.
    @inline(__always)
    mutating func string(_ text: borrowing Span<UInt8>) throws(JSONError) -> JSONString {
        position += 1
        let start = position
        let (end, seen) = Self.plainEnd(text, start)
        position = end
        guard end < text.count else { throw failure("the text ends inside a string") }
        guard text[end] == 0x22 else { return try unusualString(text, from: start) }
        if seen >= 0x80 { try validate(text, start..<end) }
        position += 1
        return JSONString(start: start, end: end, byteCount: end - start)
    }

    /// Returns the offset, from `start` on, of a string's first quote, backslash or control character (or of the text's
    /// end), and a byte whose highest bit says whether one of the bytes before it isn't ASCII.
    @inline(__always)
    private static func plainEnd(_ text: borrowing Span<UInt8>, _ start: Int) -> (end: Int, seen: UInt8) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var end = start
        var seen: UInt64 = 0
        while text.count - end >= 8 {
            let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
            let (quote, backslash, delete) = (word ^ ones &* 0x22, word ^ ones &* 0x5C, word ^ ones &* 0x7F)
            let low = (word &- ones &* 0x20) & ~word
            let zero = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((delete &- ones) & ~delete)
            if (low | zero) & highs != 0 { break }
            seen |= word
            end += 8
        }
        var last: UInt8 = seen & highs == 0 ? 0 : 0x80
        while end < text.count {
            let byte = text[end]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte == 0x7F { break }
            last |= byte
            end += 1
        }
        return (end, last)
    }

    private func validate(_ text: borrowing Span<UInt8>, _ range: Range<Int>) throws(JSONError) {
        guard text.extracting(range).isUTF8 else { throw failure("the string that ends here is not UTF-8") }
    }

    /// Checks and skips the rest of a string that has escapes, DEL or a control character, and returns its range and
    /// properties; `position` must be at the first of them, and `start` is after the first quote.
    private mutating func unusualString(
        _ text: borrowing Span<UInt8>, from start: Int
    ) throws(JSONError) -> JSONString {
        var byteCount = position - start
        var hasEscapes = false
        var needsEscape = false
        while true {
            guard position < text.count else { throw failure("the text ends inside a string") }
            let byte = text[position]
            if byte == 0x22 { break }
            guard byte >= 0x20 else { throw failure("a control character in a string isn't escaped") }
            position += 1
            guard byte == 0x5C else {
                needsEscape = needsEscape || byte == 0x7F
                byteCount += 1
                continue
            }
            hasEscapes = true
            let code = try escape(text)
            needsEscape = needsEscape || code < 0x20 || code == 0x22 || code == 0x5C || code == 0x7F
            byteCount += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
        }
        try validate(text, start..<position)
        position += 1
        return JSONString(
            start: start, end: position - 1, byteCount: byteCount, hasEscapes: hasEscapes, needsEscape: needsEscape)
    }

    /// Reads an escape and returns its character as a Unicode scalar value; `position` must be after the backslash.
    private mutating func escape(_ text: borrowing Span<UInt8>) throws(JSONError) -> UInt32 {
        let letter = current(text)
        let code: UInt32
        switch letter {
        case 0x22, 0x5C, 0x2F: code = UInt32(letter)
        case 0x62: code = 0x08
        case 0x66: code = 0x0C
        case 0x6E: code = 0x0A
        case 0x72: code = 0x0D
        case 0x74: code = 0x09
        case 0x75:
            position += 1
            return try unicodeEscape(text)
        default: throw failure("unknown or incomplete escape sequence in a string")
        }
        position += 1
        return code
    }

    private mutating func unicodeEscape(_ text: borrowing Span<UInt8>) throws(JSONError) -> UInt32 {
        let first = try hexUnit(text)
        guard first & 0xF800 == 0xD800 else { return first }
        if first < 0xDC00, current(text) == 0x5C, position + 1 < text.count, text[position + 1] == 0x75 {
            let after = position
            position += 2
            let second = try hexUnit(text)
            if second & 0xFC00 == 0xDC00 { return 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF) }
            position = after
        }
        guard rules.loneSurrogates == .replaced else { throw failure("an unpaired surrogate in a string") }
        return 0xFFFD
    }

    private mutating func hexUnit(_ text: borrowing Span<UInt8>) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(current(text)) else {
                throw failure("expected four hexadecimal digits after \\u")
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    /// Calls `body` with each byte of the UTF-8 of a string that this scanner has skipped, with its escapes decoded.
    @inline(__always)
    func forEachByte(of string: JSONString, in text: borrowing Span<UInt8>, _ body: (UInt8) -> Void) {
        var scanner = self
        scanner.position = string.start
        while scanner.position < string.end {
            let byte = text[scanner.position]
            scanner.position += 1
            guard byte == 0x5C else {
                body(byte)
                continue
            }
            // The escape was validated when the string was skipped.
            guard let code = try? scanner.escape(text) else { return }
            if code < 0x80 {
                body(UInt8(truncatingIfNeeded: code))
                continue
            }
            let width: UInt32 = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
            let mark: UInt32 = width == 1 ? 0xC0 : width == 2 ? 0xE0 : 0xF0
            body(UInt8(truncatingIfNeeded: mark | code >> (6 * width)))
            for place in stride(from: Int(width) - 1, through: 0, by: -1) {
                body(UInt8(truncatingIfNeeded: 0x80 | code >> (6 * UInt32(place)) & 0x3F))
            }
        }
    }

    /// Returns the text of a string that this scanner has skipped, with its escapes decoded.
    package func text(of string: JSONString, in text: borrowing Span<UInt8>) -> String {
        guard string.hasEscapes else {
            return String(copying: unsafe UTF8Span(unchecked: text.extracting(string.start..<string.end)))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(string.byteCount)
        forEachByte(of: string, in: text) { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// A Boolean value that says whether the bytes are valid UTF-8.
    var isUTF8: Bool {
        // The standard library checks table 3-7 of the Unicode standard: no surrogates, no overlong forms, nothing past
        // U+10FFFF.
        (try? UTF8Span(validating: self)) != nil
    }
}
