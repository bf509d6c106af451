internal import Glibc
internal import SealiteBase
internal import SealiteValues

/// Texts of values, and checks of texts, that operators share.
enum Text {
    /// The maximum size of an operator's result in bytes.
    static let maximumByteCount = 16 * 1024 * 1024

    /// Throws `MongoError` 146 if `byteCount`, the length of the string that the operator `name` would create, exceeds
    /// the maximum.
    static func check(byteCount: Int, _ name: String) throws {
        try require(
            byteCount <= maximumByteCount,
            .tooLarge("\(name) would make a result of more than \(maximumByteCount) bytes."))
    }

    /// Throws `MongoError` 16493 if a string has 16 MiB or more, which no value of an expression has.
    static func checkValue(_ text: String) throws { try checkValue(byteCount: text.utf8.count) }

    /// Throws `MongoError` 16493 if a string of a number of bytes has 16 MiB or more.
    static func checkValue(byteCount: Int) throws {
        try require(
            byteCount < maximumByteCount, 16493,
            "A string of an expression has \(maximumByteCount) bytes or more.")
    }

    /// Returns the string for an argument of the operator `name`, which also accepts other values: numbers and times
    /// become text, null and missing values an empty string. Throws `MongoError` for the other types.
    static func coerced(_ value: BSON?, _ name: String) throws -> String {
        switch value {
        case .string(let text), .code(let text), .symbol(let text): return text
        case nil, .null, .undefined: return ""
        case .int32(let value): return "\(value)"
        case .int64(let value): return "\(value)"
        case .double(let value): return sixDigits(of: value)
        case .decimal128(let value): return value.description
        case .datetime(let date):
            try require(
                writableTimes.contains(date.milliseconds), 18537,
                "\(name) can't write a date outside of the years 0 to 9999.")
            return date.description
        case .timestamp(let timestamp): return text(of: timestamp)
        default: throw MongoError(code: 16007, "\(name) can't convert \(value.typeName) to a string.")
        }
    }

    /// The milliseconds since 1970 of the years 0 to 9999.
    private static let writableTimes: Range<Int64> = -62_167_219_200_000..<253_402_300_800_000

    /// Returns the text of a double with six significant digits, as C++ writes doubles by default.
    private static func sixDigits(of value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
        return formatted(value, "%g")
    }

    /// Returns the text of a finite number in a format of C, which has a point also where the process's locale has a
    /// comma.
    static func formatted(_ value: Double, _ format: String) -> String {
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            _ = unsafe withVaList([value]) { unsafe vsnprintf(start, buffer.count, format, $0) }
            return unsafe String(cString: start)
        }
        return String(text.map { $0.isNumber || "+-e".contains($0) ? $0 : "." })
    }

    /// Returns the shortest text of a double, without a fraction if it is an integer below 10¹⁶.
    static func text(of value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
        guard value == value.rounded(), value.magnitude < 1e16 else { return "\(value)" }
        return value == 0 && value.sign == .minus ? "-0" : "\(Int64(value))"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func text(of timestamp: Timestamp) -> String {
        let seconds = Int(timestamp.seconds)
        let day = CalendarDay(milliseconds: seconds * 1000)
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(months[day.month - 1]) \(day.day < 10 ? " " : "")\(day.day) \(clock):\(timestamp.increment)"
    }

    /// Returns the decimal digits of a number, with leading zeros up to `count` digits.
    static func padded(_ number: Int, _ count: Int) -> String {
        let digits = "\(number.magnitude)"
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

extension [UInt8] {
    /// The text of the bytes, decoded as UTF-8.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension Array where Element: Equatable {
    /// Returns the index of the first occurrence of `other` that begins at `start` or later and ends at or before
    /// `end`; nil if there is none.
    ///
    /// The search takes linear time in the length of both for any content (Knuth, Morris and Pratt).
    func firstPlace(of other: [Element], from start: Int, to end: Int) -> Int? {
        guard !other.isEmpty else { return start <= end ? start : nil }
        guard end - start >= other.count else { return nil }
        // For each prefix of `other`, the length of the longest proper prefix that is also a suffix of this prefix.
        var borders = [0]
        var matched = 0
        for place in 1..<other.count {
            while matched > 0, other[place] != other[matched] { matched = borders[matched - 1] }
            if other[place] == other[matched] { matched += 1 }
            borders.append(matched)
        }
        matched = 0
        for place in start..<end {
            while matched > 0, self[place] != other[matched] { matched = borders[matched - 1] }
            if self[place] == other[matched] { matched += 1 }
            if matched == other.count { return place + 1 - matched }
        }
        return nil
    }
}
