/// Reads JSON text (RFC 8259) and writes it as JSONB, exactly: numbers keep their digits, members keep their order, and
/// what could only be kept by guessing is refused (Documentation/DocumentFormat.md §2.2).
struct JSONParser: ~Copyable {
    /// The deepest nesting of arrays and objects, the outermost one counted.
    static let maximumDepth = 500

    private let text: [UInt8]
    private var position = 0
    private var depth = 0
    private var output: JSONBWriter
    /// The payloads of the labels of the objects being read, as offsets into the output.
    private var labels: [Range<Int>] = []

    /// The JSONB of `text`. Where `requiresObject`, the root must be an object, as a document's is.
    ///
    /// - Throws: `invalidJSON` with the offset in bytes, never with the text.
    static func parse(_ text: [UInt8], requiresObject: Bool = true) throws(DatabaseError) -> [UInt8] {
        var parser = JSONParser(text: text)
        parser.skipSpace()
        if requiresObject, parser.current != 0x7B {
            throw parser.failure("a document is a JSON object, but this is not one")
        }
        try parser.value(guess: text.count &* 7 / 8)
        parser.skipSpace()
        guard parser.position == text.count else { throw parser.failure("there is more after the end of the value") }
        return parser.output.bytes
    }

    private init(text: [UInt8]) {
        self.text = text
        output = JSONBWriter(capacity: text.count + text.count / 8 + 16)
    }

    /// The byte at the position, 0 at the end; a 0 in the text is never valid where this is asked.
    @inline(__always)
    private var current: UInt8 { position < text.count ? text[position] : 0 }

    @inline(__always)
    private mutating func skipSpace() {
        while position < text.count {
            let byte = text[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    private func failure(_ reason: String) -> DatabaseError {
        DatabaseError(.invalidJSON, "invalid JSON at byte \(position): \(reason)")
    }

    private mutating func value(guess: Int) throws(DatabaseError) {
        switch current {
        case 0x22: try string(isLabel: false)
        case 0x7B: try object(guess: guess)
        case 0x5B: try array()
        case 0x2D, 0x30...0x39: try number()
        case 0x74: try literal("true", JSONBType.true)
        case 0x66: try literal("false", JSONBType.false)
        case 0x6E: try literal("null", JSONBType.null)
        default:
            throw failure(position == text.count ? "the text ends where a value is due" : "no value starts like this")
        }
    }

    private mutating func literal(_ word: StaticString, _ type: UInt8) throws(DatabaseError) {
        let matches = word.withUTF8Buffer { utf8 in
            guard text.count - position >= utf8.count else { return false }
            for index in 0..<utf8.count where unsafe text[position + index] != utf8[index] { return false }
            return true
        }
        guard matches else { throw failure("no value starts like this") }
        position += word.utf8CodeUnitCount
        output.header(type, byteCount: 0)
    }

    // MARK: - Containers

    private mutating func enter() throws(DatabaseError) {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw failure("nested deeper than \(Self.maximumDepth) levels")
        }
        position += 1
        skipSpace()
    }

    private mutating func object(guess: Int) throws(DatabaseError) {
        try enter()
        let begun = output.begin(guess: guess)
        let firstLabel = labels.count
        if current == 0x7D {
            position += 1
        } else {
            while true {
                guard current == 0x22 else { throw failure("a member's name in quotes is due") }
                try string(isLabel: true)
                skipSpace()
                guard current == 0x3A else { throw failure("a colon is due after a member's name") }
                position += 1
                skipSpace()
                try value(guess: 100)
                if try !goesOn(until: 0x7D) { break }
            }
            try checkLabels(from: firstLabel)
        }
        output.end(JSONBType.object, begun)
        depth -= 1
    }

    private mutating func array() throws(DatabaseError) {
        try enter()
        let begun = output.begin(guess: 20)
        if current == 0x5D {
            position += 1
        } else {
            repeat { try value(guess: 100) } while try goesOn(until: 0x5D)
        }
        output.end(JSONBType.array, begun)
        depth -= 1
    }

    /// Passes a comma (true) or the container's end (false).
    @inline(__always)
    private mutating func goesOn(until close: UInt8) throws(DatabaseError) -> Bool {
        skipSpace()
        switch current {
        case 0x2C:
            position += 1
            skipSpace()
            return true
        case close:
            position += 1
            return false
        default:
            throw failure(position == text.count ? "the text ends inside a value" : "a comma or the end is due")
        }
    }

    /// Refuses a name that an object has twice, and forgets the object's labels.
    private mutating func checkLabels(from first: Int) throws(DatabaseError) {
        let count = labels.count - first
        defer { labels.removeSubrange(first...) }
        if count <= 12 {
            for index in (first + 1)..<max(labels.count, first + 1) {
                for other in first..<index where isSame(labels[index], labels[other]) { throw duplicate() }
            }
        } else {
            var sorted = Array(labels[first...])
            sorted.sort { output.precedes($0, $1) }
            for index in 1..<count where isSame(sorted[index], sorted[index - 1]) { throw duplicate() }
        }
    }

    private func duplicate() -> DatabaseError {
        failure("an object that ends here has the same name twice")
    }

    @inline(__always)
    private func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count
        where output[left.lowerBound + index] != output[right.lowerBound + index] { return false }
        return true
    }

    // MARK: - Scalars

    private mutating func number() throws(DatabaseError) {
        let start = position
        var type = JSONBType.integer
        if current == 0x2D { position += 1 }
        if current == 0x30 {
            position += 1
        } else {
            try digits()
        }
        if current == 0x2E {
            type = JSONBType.float
            position += 1
            try digits()
        }
        if current == 0x65 || current == 0x45 {
            type = JSONBType.float
            position += 1
            if current == 0x2B || current == 0x2D { position += 1 }
            try digits()
        }
        output.element(type, text, start, position)
    }

    @inline(__always)
    private mutating func digits() throws(DatabaseError) {
        let start = position
        while current >= 0x30, current <= 0x39 { position += 1 }
        guard position > start else { throw failure("a digit is due") }
    }

    private mutating func string(isLabel: Bool) throws(DatabaseError) {
        position += 1
        let start = position
        let (end, seen) = Self.plainEnd(text.span, start)
        position = end
        guard end < text.count else { throw failure("the text ends inside a string") }
        if text[end] == 0x5C || text[end] == 0x7F { return try escapedString(from: start, isLabel: isLabel) }
        guard text[end] == 0x22 else { throw failure("a control character in a string isn't escaped") }
        if seen >= 0x80, !UTF8Validation.isValid(text, start..<position) {
            throw failure("the string that ends here is not UTF-8")
        }
        output.element(JSONBType.text, text, start, position)
        position += 1
        if isLabel { labels.append((output.count - (position - 1 - start))..<output.count) }
    }

    /// Where a string first has a quote, a backslash or a control character, and all bits of the bytes before, where only
    /// the highest counts.
    @inline(__always)
    private static func plainEnd(_ text: borrowing Span<UInt8>, _ start: Int) -> (end: Int, seen: UInt8) {
        var (end, seen): (Int, UInt64) = (start, 0)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        // Eight bytes at a time: x - ones borrows into the high bit of a byte that is 0, or below 0x20 for ones * 0x20.
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

    /// Reads a string that has escapes, unescaped; the position is at the first one.
    private mutating func escapedString(from start: Int, isLabel: Bool) throws(DatabaseError) {
        var payload = Array(text[start..<position])
        while true {
            guard position < text.count else { throw failure("the text ends inside a string") }
            let byte = text[position]
            if byte == 0x22 { break }
            guard byte >= 0x20 else { throw failure("a control character in a string isn't escaped") }
            position += 1
            if byte == 0x5C {
                try escape(into: &payload)
            } else {
                payload.append(byte)
            }
        }
        guard UTF8Validation.isValid(payload, 0..<payload.count) else {
            throw failure("the string that ends here is not UTF-8")
        }
        position += 1
        output.element(JSONBWriter.stringType(payload.span), payload, 0, payload.count)
        if isLabel { labels.append((output.count - payload.count)..<output.count) }
    }

    private mutating func escape(into payload: inout [UInt8]) throws(DatabaseError) {
        let letter = current
        position += 1
        switch letter {
        case 0x22, 0x5C, 0x2F: payload.append(letter)
        case 0x62: payload.append(0x08)
        case 0x66: payload.append(0x0C)
        case 0x6E: payload.append(0x0A)
        case 0x72: payload.append(0x0D)
        case 0x74: payload.append(0x09)
        case 0x75: try unicodeEscape(into: &payload)
        default: throw failure("unknown escape in a string")
        }
    }

    private mutating func unicodeEscape(into payload: inout [UInt8]) throws(DatabaseError) {
        var code = try hexUnit()
        if code & 0xFC00 == 0xD800 {
            guard current == 0x5C, position + 1 < text.count, text[position + 1] == 0x75 else {
                throw failure("a surrogate stands alone in a string")
            }
            position += 2
            let low = try hexUnit()
            guard low & 0xFC00 == 0xDC00 else { throw failure("a surrogate stands alone in a string") }
            code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("a surrogate stands alone in a string") }
        payload.append(contentsOf: Character(scalar).utf8)
    }

    private mutating func hexUnit() throws(DatabaseError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(current) else { throw failure("four hexadecimal digits are due") }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
