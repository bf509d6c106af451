/// Reads JSON (RFC 8259) value by value, without building a tree.
///
/// Numbers stay text unless asked for, so that none loses a digit; values that are only passed on stay bytes. Depth is
/// limited, and nothing recurses on input.
package struct JSONReader: Sendable {
    /// The kind of the next value.
    package enum Kind: Sendable, Hashable { case object, array, string, number, boolean, null }

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var depth = 0
    private static let depthLimit = 100

    /// Begins to read `bytes`.
    package init(_ bytes: some Collection<UInt8>) {
        self.bytes = ArraySlice(bytes)
        index = self.bytes.startIndex
    }

    /// The kind of the value that comes next.
    ///
    /// - Throws: `notJSON` if none does.
    package mutating func peek() throws(MessageError) -> Kind {
        skipSpace()
        switch index < bytes.endIndex ? bytes[index] : 0 {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        default: throw failure()
        }
    }

    /// Fails unless nothing but white space is left.
    package mutating func end() throws(MessageError) {
        skipSpace()
        guard index == bytes.endIndex else { throw failure() }
    }

    /// Reads an array, giving the reader at each element to `element`, which must read exactly that.
    ///
    /// - Throws: `notJSON`, `wrongShape` for another kind, `tooLarge` above `limit` elements, and what `element` throws.
    package mutating func array(
        limit: Int, _ element: (inout JSONReader) throws(MessageError) -> Void
    ) throws(MessageError) {
        try open(.array)
        var count = 0
        while try hasNext(UInt8(ascii: "]"), first: count == 0) {
            count += 1
            guard count <= limit else { throw MessageError(.tooLarge, "a list has more than \(limit) items") }
            try element(&self)
        }
        depth -= 1
    }

    /// Reads an object, giving each name and the reader at its value to `member`, which must read exactly that.
    ///
    /// - Throws: `notJSON`, `wrongShape` for another kind, and what `member` throws.
    package mutating func object(
        _ member: (String, inout JSONReader) throws(MessageError) -> Void
    ) throws(MessageError) {
        try open(.object)
        var isFirst = true
        while try hasNext(UInt8(ascii: "}"), first: isFirst) {
            isFirst = false
            let name = try string()
            skipSpace()
            try take(UInt8(ascii: ":"))
            try member(name, &self)
        }
        depth -= 1
    }

    /// Reads a string.
    package mutating func string() throws(MessageError) -> String {
        guard try peek() == .string else { throw MessageError(.wrongShape, "a JSON value is not a string") }
        let raw = try rawString().dropFirst().dropLast()
        guard raw.contains(UInt8(ascii: "\\")) else {
            guard let text = String(utf8: raw) else { throw failure() }
            return text
        }
        return try JSONEscapes.decode(raw)
    }

    /// Reads a number that is an integer within 64 bits.
    package mutating func integer() throws(MessageError) -> Int64 {
        guard try peek() == .number else { throw MessageError(.wrongShape, "a JSON value is not a number") }
        guard let value = Int64(String(decoding: try rawNumber(), as: UTF8.self)) else {
            throw MessageError(.wrongShape, "a JSON number is no 64-bit integer")
        }
        return value
    }

    /// Reads `true` or `false`.
    package mutating func boolean() throws(MessageError) -> Bool {
        guard try peek() == .boolean else { throw MessageError(.wrongShape, "a JSON value is not a boolean") }
        return try rawValue().first == UInt8(ascii: "t")
    }

    /// Reads any value and returns its bytes as they are, without white space around it.
    package mutating func rawValue() throws(MessageError) -> ArraySlice<UInt8> {
        var closers: [UInt8] = []
        _ = try peek()
        let start = index
        repeat {
            switch try peek() {
            case .object, .array:
                let isObject = bytes[index] == UInt8(ascii: "{")
                let closer = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
                index += 1
                guard depth + closers.count < Self.depthLimit else { throw tooDeep() }
                skipSpace()
                if index < bytes.endIndex, bytes[index] == closer {
                    index += 1
                } else {
                    closers.append(closer)
                    if isObject { try skipName() }
                    continue
                }
            case .string: _ = try rawString()
            case .number: _ = try rawNumber()
            case .boolean: try take(bytes[index] == UInt8(ascii: "t") ? "true" : "false")
            case .null: try take("null")
            }
            try closeAll(&closers)
        } while !closers.isEmpty
        return bytes[start..<index]
    }

    /// After a value inside containers: steps to the next one, or closes containers that end here.
    private mutating func closeAll(_ closers: inout [UInt8]) throws(MessageError) {
        while let closer = closers.last {
            skipSpace()
            guard index < bytes.endIndex else { throw failure() }
            if bytes[index] == UInt8(ascii: ",") {
                index += 1
                if closer == UInt8(ascii: "}") { try skipName() }
                return
            }
            try take(closer)
            closers.removeLast()
        }
    }

    private mutating func skipName() throws(MessageError) {
        guard try peek() == .string else { throw failure() }
        _ = try rawString()
        skipSpace()
        try take(UInt8(ascii: ":"))
    }

    private mutating func open(_ kind: Kind) throws(MessageError) {
        guard try peek() == kind else {
            throw MessageError(.wrongShape, "a JSON value is not an \(kind == .array ? "array" : "object")")
        }
        guard depth < Self.depthLimit else { throw tooDeep() }
        depth += 1
        index += 1
    }

    private mutating func hasNext(_ closer: UInt8, first: Bool) throws(MessageError) -> Bool {
        skipSpace()
        guard index < bytes.endIndex else { throw failure() }
        if bytes[index] == closer {
            index += 1
            return false
        }
        if !first { try take(UInt8(ascii: ",")) }
        skipSpace()
        return true
    }

    /// A string with its quotes; its escapes are not looked at.
    private mutating func rawString() throws(MessageError) -> ArraySlice<UInt8> {
        let start = index
        index += 1
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return bytes[start..<index] }
            if byte == UInt8(ascii: "\\") { index += 1 }
            guard byte >= 0x20 else { break }
        }
        index = min(index, bytes.endIndex)
        throw failure()
    }

    private mutating func rawNumber() throws(MessageError) -> ArraySlice<UInt8> {
        let start = index
        skip(UInt8(ascii: "-"))
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[index - whole] != UInt8(ascii: "0") else { throw failure() }
        if skip(UInt8(ascii: ".")), digits() == 0 { throw failure() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw failure() }
        }
        return bytes[start..<index]
    }

    private mutating func digits() -> Int {
        let start = index
        while index < bytes.endIndex, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") {
            index += 1
        }
        return index - start
    }

    @discardableResult
    private mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.endIndex, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func take(_ byte: UInt8) throws(MessageError) {
        guard skip(byte) else { throw failure() }
    }

    private mutating func take(_ word: StaticString) throws(MessageError) {
        for byte in word.description.utf8 { try take(byte) }
    }

    private mutating func skipSpace() {
        while index < bytes.endIndex {
            switch bytes[index] {
            case 0x20, 0x09, 0x0a, 0x0d: index += 1
            default: return
            }
        }
    }

    private func failure() -> MessageError {
        MessageError(.notJSON, "the body is not JSON (at byte \(index - bytes.startIndex) of \(bytes.count))")
    }

    private func tooDeep() -> MessageError {
        MessageError(.tooLarge, "JSON is nested more than \(Self.depthLimit) deep")
    }
}

/// The escapes of JSON strings.
enum JSONEscapes {
    /// The text of a string's bytes between its quotes.
    static func decode(_ raw: ArraySlice<UInt8>) throws(MessageError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "\\") else {
                text.append(raw[index])
                index += 1
                continue
            }
            guard index + 1 < raw.endIndex else { throw failure }
            let letter = raw[index + 1]
            index += 2
            if letter == UInt8(ascii: "u") {
                text.append(contentsOf: String(try scalar(raw, &index)).utf8)
            } else {
                guard let byte = simple[letter] else { throw failure }
                text.append(byte)
            }
        }
        guard let string = String(utf8: text[...]) else { throw failure }
        return string
    }

    /// A scalar after `\u`, of one unit or of two surrogates. A lone surrogate becomes U+FFFD, as in most readers.
    private static func scalar(_ raw: ArraySlice<UInt8>, _ index: inout Int) throws(MessageError) -> Unicode.Scalar {
        let first = try unit(raw, &index)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let replacement: Unicode.Scalar = "\u{fffd}"
        guard first < 0xdc00, index + 1 < raw.endIndex, raw[index] == UInt8(ascii: "\\"),
            raw[index + 1] == UInt8(ascii: "u")
        else { return replacement }
        var next = index + 2
        let second = try unit(raw, &next)
        guard (0xdc00...0xdfff).contains(second) else { return replacement }
        index = next
        return Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)) ?? replacement
    }

    private static func unit(_ raw: ArraySlice<UInt8>, _ index: inout Int) throws(MessageError) -> UInt32 {
        guard index + 4 <= raw.endIndex,
            let value = UInt32(String(decoding: raw[index..<index + 4], as: UTF8.self), radix: 16),
            raw[index] != UInt8(ascii: "+")
        else { throw failure }
        index += 4
        return value
    }

    private static let simple: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10,
        UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
    ]

    private static let failure = MessageError(.notJSON, "a JSON string has a bad escape or is not UTF-8")
}
