@testable import SealiteJSON
@testable import SealiteVectors

/// Vectors in values of documents: numbers as JSON text and in stored bodies, base64, and float32.
///
/// The first byte decides which of them the rest is, the second the number of dimensions.
final class VectorsFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard input.count >= 2 else { return }
        let (dimensions, rest) = (Self.dimensions(input[1]), Array(input[2...]))
        switch input[0] % 4 {
        case 0:
            guard let value = try? JSONB.parse(rest, requiresObject: false) else { return }
            try checkValue(value, dimensions)
        case 1: try checkValue(rest, dimensions)
        case 2: try checkBase64(rest, dimensions)
        default: try checkFloats(rest, dimensions)
        }
    }

    /// Mostly small numbers, since few inputs have many; rarely large ones.
    private static func dimensions(_ byte: UInt8) -> Int { byte < 240 ? 2 + Int(byte) % 24 : (Int(byte) - 239) * 256 }

    private func read(
        _ dimensions: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Bool
    ) throws(BrokenProperty) -> [Float]? {
        // One more behind them, which must stay.
        var floats = [Float](repeating: 4711, count: dimensions + 1)
        let isRead = unsafe floats.withUnsafeMutableBufferPointer {
            unsafe body(UnsafeMutableBufferPointer(rebasing: $0[..<dimensions]))
        }
        try BrokenProperty.unless(floats.removeLast() == 4711, "a vector is written beyond its end")
        guard isRead else { return nil }
        try BrokenProperty.unless(floats.allSatisfy(\.isFinite), "a vector has a number that isn't finite")
        return floats
    }

    // MARK: - Values

    private func checkValue(_ bytes: [UInt8], _ dimensions: Int) throws(BrokenProperty) {
        guard let element = JSONBElement(root: bytes.span) else { return }
        let count = VectorReader.count(element, in: bytes.span)
        let floats = unsafe try read(dimensions) { unsafe VectorReader.read(element, in: bytes.span, into: $0) }
        if let floats { try BrokenProperty.unless(count == floats.count, "a vector has another number of dimensions") }
        // One of the dimensions that the value has is read, unless a number has no float32.
        if let count, count != dimensions, VectorReader.dimensions.contains(count) {
            _ = unsafe try read(count) { unsafe VectorReader.read(element, in: bytes.span, into: $0) }
        }
        guard element.type == JSONBType.array else { return }
        try BrokenProperty.unless(
            Self.same(floats, Self.numbers(element, bytes, dimensions)), "numbers are read as others")
    }

    /// The numbers of an array as the standard library reads them; nil unless all are numbers of JSON with a float32.
    private static func numbers(_ element: JSONBElement, _ bytes: [UInt8], _ dimensions: Int) -> [Float]? {
        var (offset, floats): (Int, [Float]) = (element.start, [])
        while offset < element.end {
            guard floats.count < dimensions,
                let item = JSONBElement(bytes.span, at: offset, limit: element.end), item.isNumber,
                let value = number(bytes[item.start..<item.end])
            else { return nil }
            floats.append(value)
            offset = item.end
        }
        return floats.count == dimensions ? floats : nil
    }

    /// Reads a number by RFC 8259 §6.
    private static func number(_ text: ArraySlice<UInt8>) -> Float? {
        var rest = text
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (48...57).contains($0) } ?? false }
        func digits() -> Bool {
            guard isDigit(rest.first) else { return false }
            while isDigit(rest.first) { rest.removeFirst() }
            return true
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "0"), isDigit(rest.dropFirst().first) { return nil }
        guard digits() else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() else { return nil }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard digits() else { return nil }
        }
        guard rest.isEmpty, let value = Float(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    // MARK: - Bytes

    private func checkBase64(_ text: [UInt8], _ dimensions: Int) throws(BrokenProperty) {
        let floats = unsafe try read(dimensions) { unsafe VectorReader.read(base64: text.span, into: $0) }
        let expected = Self.decoded(text).flatMap { $0.count == dimensions * 4 ? Self.floats($0) : nil }
        try BrokenProperty.unless(Self.same(floats, expected), "base64 is read as another vector")
    }

    private func checkFloats(_ bytes: [UInt8], _ dimensions: Int) throws(BrokenProperty) {
        let floats = unsafe try read(dimensions) { unsafe VectorReader.read(floats: bytes.span, into: $0) }
        let expected = bytes.count == dimensions * 4 ? Self.floats(bytes) : nil
        try BrokenProperty.unless(Self.same(floats, expected), "float32 are read as others")
        if let floats {
            try BrokenProperty.unless(VectorReader.bytes(of: floats) == bytes, "a vector has other bytes")
        }
    }

    /// Decodes base64 bit by bit; nil for text that has other characters, or bits that no encoder leaves.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var characters = text[...]
        if text.count % 4 == 0 {
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        guard characters.count % 4 != 1 else { return nil }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        var (bits, count, bytes): (UInt32, Int, [UInt8]) = (0, 0, [])
        for character in characters {
            guard let value = values[Int(character)] else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= 1 << UInt32(count) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    /// The float32 in little-endian bytes; nil if one isn't finite.
    static func floats(_ bytes: [UInt8]) -> [Float]? {
        let floats = stride(from: 0, to: bytes.count - 3, by: 4).map { start in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) })
        }
        return floats.allSatisfy(\.isFinite) ? floats : nil
    }

    private static func same(_ left: [Float]?, _ right: [Float]?) -> Bool {
        left?.map(\.bitPattern) == right?.map(\.bitPattern)
    }

    /// First inputs: numbers of all forms, near the limits of float32 and in the middle between two, and the same vectors as bytes.
    static func seeds() throws -> [[UInt8]] {
        let texts = [
            "[1,2]", "[-0.0,1e-46]", "[0.1234567890123456789,16777217]", "[3.4028235677973366e38,3.4028234e38,-1E+2]",
            "[1.00000005960464477539062500,1.17549429e-38,7e-46,12345678901234567890123]", "[1,null]",
            "\"AACAPwAAAEA=\"",
            "{\"v\":[1,2]}", "[1e39,2]",
        ]
        var seeds: [[UInt8]] = []
        for text in texts {
            let dimensions = UInt8(max(text.utf8.count { $0 == UInt8(ascii: ",") }, 1) - 1)
            seeds.append([0, dimensions] + Array(text.utf8))
            seeds.append([1, dimensions] + (try JSONB.parse(Array(text.utf8), requiresObject: false)))
        }
        for text in ["AACAPwAAAEA=", "AACAPwAAAEA", "AACAPwAAAEB=", "AADAfwAAgD8=", "AACAPwAA AEA="] {
            seeds.append([2, 0] + Array(text.utf8))
        }
        seeds.append([2, 1] + Array("AACAPwAAAEAAAEBA".utf8))
        seeds.append([3, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40])
        seeds.append([3, 0, 0, 0, 0xC0, 0x7F, 0, 0, 0x80, 0xFF])
        return seeds
    }
}
