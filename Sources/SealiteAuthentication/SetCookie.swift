internal import FoundationEssentials
internal import SealiteBase
internal import SealiteCrypto

/// The parts of a `Set-Cookie` header (RFC 6265 §5.2) that a session needs. Names are kept in their letter case, and a
/// value may contain `=`.
struct SetCookie: ~Copyable {
    let name: String
    let value: SecretBytes
    /// The end of the cookie; nil if the server didn't state it.
    let expires: Date?

    /// The maximum length of a header value that is parsed, in bytes.
    static let maximumByteCount = 8 << 10

    /// Returns whether the header removes the cookie: its value is empty, or it has expired at the given time.
    func isRemoval(at now: Date) -> Bool {
        value.byteCount == 0 || expires.map { $0 <= now } == true
    }

    /// Parses the value of a `Set-Cookie` header; nil if it isn't a valid cookie or is longer than `maximumByteCount`.
    /// `now` is the time from which `Max-Age` counts.
    init?(_ header: borrowing SecretBytes, now: Date) {
        guard header.byteCount <= Self.maximumByteCount else { return nil }
        let parts = unsafe header.withUnsafeBytes { bytes in unsafe Self.parts(bytes) }
        guard let parts, let name = unsafe header.withUnsafeBytes({ unsafe Self.text($0[parts.name]) }), !name.isEmpty
        else { return nil }
        var expires: Date?
        var hasMaximumAge = false
        for attribute in parts.attributes {
            // Only the cookie's value is secret; the attributes after it aren't.
            guard let text = unsafe header.withUnsafeBytes({ unsafe Self.text($0[attribute]) }) else { continue }
            let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let argument = pair.count > 1 ? Self.trimmed(pair[1]) : ""
            switch Self.trimmed(pair[0]).lowercased() {
            case "max-age":
                guard let seconds = Int64(argument) else { return nil }
                hasMaximumAge = true
                expires = seconds <= 0 ? .distantPast : now.addingTimeInterval(Double(min(seconds, 400 * 86_400)))
            case "expires" where !hasMaximumAge:
                guard let seconds = CookieDate.seconds(argument) else { return nil }
                expires = Date(timeIntervalSince1970: Double(seconds))
            default: break
            }
        }
        self.name = name
        self.expires = expires
        value = unsafe header.withUnsafeBytes { bytes in
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[parts.value]))
        }
    }

    private struct Parts {
        var name: Range<Int>
        var value: Range<Int>
        var attributes: [Range<Int>]
    }

    private static func parts(_ bytes: UnsafeRawBufferPointer) -> Parts? {
        var fields: [Range<Int>] = []
        var start = 0
        for index in 0...bytes.count {
            guard unsafe index == bytes.count || bytes[index] == UInt8(ascii: ";") else { continue }
            unsafe fields.append(trimmed(start..<index, bytes))
            start = index + 1
        }
        guard fields.count <= 32, let pair = fields.first,
            let equals = unsafe bytes[pair].firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        var value = unsafe trimmed(equals + 1..<pair.upperBound, bytes)
        let quote = UInt8(ascii: "\"")
        if value.count >= 2, unsafe bytes[value.lowerBound] == quote, unsafe bytes[value.upperBound - 1] == quote {
            value = value.lowerBound + 1..<value.upperBound - 1
        }
        return unsafe Parts(
            name: trimmed(pair.lowerBound..<equals, bytes), value: value, attributes: Array(fields.dropFirst()))
    }

    private static func trimmed(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Range<Int> {
        var range = range
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        while !range.isEmpty, unsafe isSpace(bytes[range.lowerBound]) {
            range = range.lowerBound + 1..<range.upperBound
        }
        while !range.isEmpty, unsafe isSpace(bytes[range.upperBound - 1]) {
            range = range.lowerBound..<range.upperBound - 1
        }
        return range
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String? {
        unsafe String(validating: bytes, as: UTF8.self)
    }
}

/// Parses dates in cookies like RFC 6265 §5.1.1, in every form that servers send, but requires each number to be a whole
/// token, and counts days beyond the end of a month into the next month.
enum CookieDate {
    /// Returns the seconds since 1970; nil if the text isn't a date in the years 1601 to 9999.
    static func seconds(_ text: some StringProtocol) -> Int64? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        let tokens = text.utf8.split { byte in
            !((0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: ":") || byte >= 0x7F)
        }
        for token in tokens.prefix(16) {
            let word = String(decoding: token, as: UTF8.self)
            if time == nil, let found = clock(word) {
                time = found
            } else if day == nil, let found = number(word, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(word) {
                month = found
            } else if year == nil, let found = number(word, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        guard (1...31).contains(day), (1601...9999).contains(year), time.hour <= 23, time.minute <= 59,
            time.second <= 59
        else { return nil }
        let days = CalendarDay(year: year, month: month, day: day).number
        return Int64(days * 86_400 + time.hour * 3600 + time.minute * 60 + time.second)
    }

    private static func clock(_ word: String) -> (Int, Int, Int)? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 1...2),
            let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func number(_ word: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(word)
    }

    private static func monthNumber(_ word: String) -> Int? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return names.firstIndex(of: String(word.prefix(3)).lowercased()).map { $0 + 1 }
    }
}
