/// A scanner over the UTF-8 bytes of the text of a date.
struct DateScanner {
    private let bytes: [UInt8]
    private var offset = 0
    /// The number of digits of the last number that was scanned.
    private(set) var lastCount = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }
    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Skips the expected bytes if they are next, and returns whether they are.
    mutating func skip(_ expected: [UInt8]) -> Bool {
        guard bytes[offset...].starts(with: expected) else { return false }
        offset += expected.count
        return true
    }

    mutating func skipSpace() { while peek == 0x20 || peek == 0x09 { offset += 1 } }

    /// Scans a number of at most `width` digits; returns nil if there is no digit.
    mutating func number(_ width: Int) -> Int? {
        let digits = bytes[offset...].prefix(width).prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        offset += digits.count
        lastCount = digits.count
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Scans the digits, at most `width`, of a fraction of a second, and returns it in milliseconds; nil if there is no
    /// digit.
    mutating func fraction(_ width: Int) -> Int? {
        guard let number = number(width) else { return nil }
        var (value, count) = (number, lastCount)
        while count < 3 { (value, count) = (value * 10, count + 1) }
        while count > 3 { (value, count) = (value / 10, count - 1) }
        return value
    }

    /// Scans a number of at most four digits with an optional sign; throws `MongoError` if there is no digit.
    mutating func signedNumber() throws -> Int {
        let isNegative = skip([0x2D])
        if !isNegative { _ = skip([0x2B]) }
        guard let number = number(4) else { throw DateReader.failure("lacks an offset in minutes that the format has") }
        return isNegative ? -number : number
    }

    /// Scans a separator between numbers (a point, a slash, a hyphen or a space) and returns its byte; nil if there is
    /// none.
    mutating func separator() -> UInt8? {
        guard let byte = peek, byte == 0x2D || byte == 0x2F || byte == 0x2E || byte == 0x20 else { return nil }
        offset += 1
        return byte
    }

    /// Skips the suffix of an ordinal number, such as `th`, if there is one.
    mutating func skipOrdinal() {
        for letters in ["st", "nd", "rd", "th"] where skip(Array(letters.utf8)) { return }
    }

    /// Scans the full name of a month or its first three letters, in any case, and returns the month from 1; nil if
    /// there is none.
    mutating func month() -> Int? {
        let word = word()
        guard word.utf8.count >= 3 else { return nil }
        let index = DateFormat.monthNames.firstIndex { name in
            let lower = name.lowercased()
            return word == lower || word == lower.prefix(3)
        }
        if index != nil { offset += word.utf8.count }
        return index.map { $0 + 1 }
    }

    /// Scans `am` or `pm`: returns true for `pm`, false for `am`, nil otherwise.
    mutating func halfOfDay() -> Bool? {
        let word = word()
        guard word == "am" || word == "pm" else { return nil }
        offset += 2
        return word == "pm"
    }

    /// Returns the letters that are next, in lower case.
    private func word() -> String {
        bytes[offset...].prefix { (0x41...0x5A).contains($0 & 0xDF) }.map { $0 | 0x20 }.text
    }

    /// Scans a time zone: `Z`, a name or an offset. Throws `MongoError` if there is none.
    mutating func zone() throws -> Zone {
        if word() == "z" {
            offset += 1
            return .utc
        }
        let isUTC = skip(Array("GMT".utf8)) || skip(Array("UTC".utf8))
        guard let sign = peek else {
            guard isUTC else { throw DateReader.failure("lacks a time zone that the format has") }
            return .utc
        }
        guard sign == 0x2B || sign == 0x2D else {
            let name = bytes[offset...].prefix { $0 != 0x20 }
            offset += name.count
            do { return try Zone(Array(name).text) } catch {
                throw DateReader.failure("has a time zone that isn't known")
            }
        }
        offset += 1
        guard let first = number(2) else { throw DateReader.failure("has no offset of a time zone after the sign") }
        _ = skip([0x3A])
        let minutes = number(2) ?? 0
        return .fixed((sign == 0x2D ? -1 : 1) * (first * 3600 + minutes * 60))
    }
}
