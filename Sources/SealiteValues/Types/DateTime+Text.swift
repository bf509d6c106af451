extension DateTime: LosslessStringConvertible {
    /// The range of the times, in milliseconds since 1970, of the years 0 to 9999: the texts of these times sort in the
    /// order of the times.
    static let plainYears: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// The range of the times, in milliseconds since 1970, of the years 1970 to 9999, which relaxed Extended JSON
    /// writes as text.
    static let relaxedYears: ClosedRange<Int64> = 0...253_402_300_799_999

    /// The time in ISO 8601, UTC, with milliseconds: `2026-11-21T04:06:03.123Z`. Years before 0 and after 9999 have a
    /// sign and at least four digits.
    public var description: String { text(hasFraction: true) }

    /// Returns the time in ISO 8601, UTC. If `hasFraction` is false, the milliseconds are left out if they are 0.
    func text(hasFraction: Bool) -> String {
        let time = CivilTime(milliseconds: milliseconds)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func put(_ number: Int64, _ width: Int, _ mark: Unicode.Scalar) {
            let start = text.count
            var rest = number.magnitude
            while rest > 0 || text.count - start < width {
                text.append(UInt8(0x30 + rest % 10))
                rest /= 10
            }
            text[start...].reverse()
            text.append(UInt8(ascii: mark))
        }
        if !(0...9999).contains(time.year) { text.append(UInt8(ascii: time.year < 0 ? "-" : "+")) }
        put(time.year, 4, "-")
        put(time.month, 2, "-")
        put(time.day, 2, "T")
        put(time.milliseconds / 3_600_000, 2, ":")
        put(time.milliseconds / 60_000 % 60, 2, ":")
        let fraction = time.milliseconds % 1000
        let isFractionDue = hasFraction || fraction != 0
        put(time.milliseconds / 1000 % 60, 2, isFractionDue ? "." : "Z")
        if isFractionDue { put(fraction, 3, "Z") }
        return String(decoding: text, as: UTF8.self)
    }

    /// Creates the time of a text by the rules of ``init(iso:)``.
    public init?(_ description: String) { self.init(iso: description) }

    /// Creates the time of a text in ISO 8601: a day, optionally followed by a time of day and a zone (`Z`, `+hh`,
    /// `+hhmm`, `+hh:mm`), UTC by default. The time of day may lack the seconds or their fraction, which is truncated
    /// to milliseconds. Nil for any other text, and for a time whose milliseconds from 1970 64 bits can't represent.
    public init?(iso text: String) {
        var scanner = ISOScanner(Array(text.utf8))
        guard let milliseconds = scanner.time() else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

/// A parser of a time in ISO 8601.
private struct ISOScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var isAtEnd: Bool { position == bytes.count }

    mutating func time() -> Int64? {
        guard let day = day() else { return nil }
        guard !isAtEnd else { return Int64(exactly: day) }
        guard skip("T") || skip("t") || skip(" "), let clock = clock(), let offset = zone(), isAtEnd else { return nil }
        // The day of the earliest time begins before that time.
        return Int64(exactly: day + Int128(clock - offset))
    }

    private mutating func day() -> Int128? {
        let sign: Int64 = skip("-") ? -1 : 1
        let isSigned = sign < 0 || skip("+")
        guard let year = year(maximum: isSigned ? 9 : 4), skip("-"), let month = number(2), skip("-"),
            let day = number(2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // A day such as the 31st of February is converted to another day. The calendar repeats after 400 years.
        let early = CivilTime.days(year: sign * year % 400, month: month, day: day)
        guard CivilTime(milliseconds: early * CivilTime.millisecondsPerDay).day == day else { return nil }
        let days = CivilTime.days(year: sign * year, month: month, day: day)
        return Int128(days) * Int128(CivilTime.millisecondsPerDay)
    }

    private mutating func clock() -> Int64? {
        guard let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60 else { return nil }
        var milliseconds = hour * 3_600_000 + minute * 60_000
        guard skip(":") else { return milliseconds }
        guard let second = number(2), second < 60 else { return nil }
        milliseconds += second * 1000
        guard skip(".") || skip(",") else { return milliseconds }
        let digits = bytes[position...].prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard !digits.isEmpty else { return nil }
        position += digits.count
        let places = Array(digits.prefix(3)) + Array(repeating: 0x30, count: max(3 - digits.count, 0))
        return milliseconds + places.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Parses a time zone and returns its offset from UTC in milliseconds, positive east of Greenwich; nil if it isn't
    /// valid.
    private mutating func zone() -> Int64? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let sign: Int64 = skip("-") ? -1 : 1
        guard sign < 0 || skip("+"), let hours = number(2), hours < 24 else { return nil }
        guard !isAtEnd else { return sign * hours * 3_600_000 }
        _ = skip(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 3_600_000 + minutes * 60_000)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func year(maximum: Int) -> Int64? {
        let count = bytes[position...].prefix { $0 >= 0x30 && $0 <= 0x39 }.count
        return (4...maximum).contains(count) ? number(count) : nil
    }

    private mutating func number(_ width: Int) -> Int64? {
        guard bytes.count - position >= width else { return nil }
        var value: Int64 = 0
        for _ in 0..<width {
            guard (0x30...0x39).contains(bytes[position]) else { return nil }
            value = value * 10 + Int64(bytes[position] - 0x30)
            position += 1
        }
        return value
    }
}
