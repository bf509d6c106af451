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
