internal import FoundationEssentials

/// Converts dates to and from the stored form: `2026-11-21T04:06:03.123Z`, UTC, milliseconds (ISO 8601).
enum ISO8601 {
    /// Returns the text of a date, rounded to milliseconds; dates outside the years 0 to 9999 are clamped to them.
    static func text(_ date: Date) -> String {
        let limits = -62_167_219_200_000.0...253_402_300_799_999.0
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        let milliseconds = Int64(exact.isNaN ? 0 : min(max(exact, limits.lowerBound), limits.upperBound))
        let (days, rest) = floorDivide(milliseconds, 86_400_000)
        let (year, month, day) = civil(days)
        func pad(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let time = "\(pad(rest / 3_600_000, 2)):\(pad(rest / 60_000 % 60, 2)):\(pad(rest / 1000 % 60, 2))"
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(time).\(pad(rest % 1000, 3))Z"
    }

    /// Returns the date of a text: a day, optionally followed by a time of day (seconds and their fraction optional),
    /// which a zone may follow (`Z`, `+hh:mm`, `+hhmm` or `+hh`, or the same with a minus sign; UTC if there is none).
    /// Nil for any other text.
    static func date(_ text: String) -> Date? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.number(4), scanner.skip(0x2D), let month = scanner.number(2), scanner.skip(0x2D),
            let day = scanner.number(2), (1...12).contains(month)
        else { return nil }
        let days = daysFromCivil(year, month, day)
        // For a day that doesn't exist, such as February 31, the conversion returns another day.
        guard civil(days) == (year, month, day) else { return nil }
        var seconds = 0.0
        if !scanner.isAtEnd {
            guard scanner.skip(0x54) || scanner.skip(0x20), let time = scanner.time() else { return nil }
            seconds = time
        }
        guard scanner.isAtEnd else { return nil }
        return Date(timeIntervalSince1970: Double(days * 86_400) + seconds)
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        mutating func number(_ width: Int) -> Int64? {
            guard bytes.count - position >= width else { return nil }
            var value: Int64 = 0
            for _ in 0..<width {
                guard (0x30...0x39).contains(bytes[position]) else { return nil }
                value = value * 10 + Int64(bytes[position] - 0x30)
                position += 1
            }
            return value
        }

        /// Parses a time of day with an optional zone and returns the seconds from midnight UTC, negative or above a
        /// day's length if the zone moves the time to another day; nil for any other text.
        mutating func time() -> Double? {
            guard let hour = number(2), skip(0x3A), let minute = number(2), hour < 25, minute < 60 else { return nil }
            var seconds = Double(hour * 3600 + minute * 60)
            if skip(0x3A) {
                guard let second = number(2), second < 61 else { return nil }
                seconds += Double(second)
                if skip(0x2E) || skip(0x2C) {
                    guard let fraction = fraction() else { return nil }
                    seconds += fraction
                }
            }
            guard hour < 24 || seconds == 86_400 else { return nil }
            if skip(0x5A) || isAtEnd { return seconds }
            let sign: Double = skip(0x2B) ? -1 : skip(0x2D) ? 1 : 0
            guard sign != 0, let hours = number(2) else { return nil }
            _ = skip(0x3A)
            guard let minutes = isAtEnd ? 0 : number(2) else { return nil }
            return seconds + sign * Double(hours * 3600 + minutes * 60)
        }

        private mutating func fraction() -> Double? {
            var (value, scale) = (0.0, 1.0)
            let start = position
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
                value = value * 10 + Double(bytes[position] - 0x30)
                scale *= 10
                position += 1
            }
            return position > start && position - start < 18 ? value / scale : nil
        }
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Returns the proleptic Gregorian date of a day, which is given as the number of days since 1970-01-01.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func daysFromCivil(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
