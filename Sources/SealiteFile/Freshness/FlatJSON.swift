/// A JSON object of texts and whole numbers, which is all that this target's own files hold. Foundation would make the
/// extension some ten megabytes larger. https://www.rfc-editor.org/rfc/rfc8259
struct FlatJSON {
    enum Value: Equatable {
        case text(String)
        case number(UInt64)
    }

    private let bytes: [UInt8]
    private var place = 0

    /// The members of an object; nil where the bytes are anything else, or name a member twice.
    static func members(of bytes: [UInt8]) -> [String: Value]? {
        var reader = FlatJSON(bytes: bytes)
        guard let members = reader.object() else { return nil }
        reader.skipSpace()
        return reader.place == bytes.count ? members : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    /// Whether the next sign is this one; then it is behind us.
    private mutating func take(_ sign: Character) -> Bool {
        skipSpace()
        guard let byte = next, byte == sign.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func object() -> [String: Value]? {
        guard take("{") else { return nil }
        var members: [String: Value] = [:]
        if take("}") { return members }
        repeat {
            guard let name = text(), take(":"), let value = value(), members.updateValue(value, forKey: name) == nil
            else { return nil }
        } while take(",")
        return take("}") ? members : nil
    }

    private mutating func value() -> Value? {
        skipSpace()
        return next == UInt8(ascii: "\"") ? text().map(Value.text) : number().map(Value.number)
    }

    /// A text. What this target writes has no escapes, and none are read.
    private mutating func text() -> String? {
        guard take("\"") else { return nil }
        let start = place
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        guard next != nil else { return nil }
        defer { place += 1 }
        return String(validating: bytes[start..<place], as: UTF8.self)
    }

    /// A whole number without a sign, a fraction or leading zeros, up to 64 bits.
    private mutating func number() -> UInt64? {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        let digits = bytes[start..<place]
        guard digits.count == 1 || digits.first != 0x30 else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
