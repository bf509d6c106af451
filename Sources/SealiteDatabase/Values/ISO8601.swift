internal import FoundationEssentials
internal import SealiteBase

/// The stored form of dates: `2026-11-21T04:06:03.123Z`, UTC, milliseconds.
extension ISO8601 {
    /// Returns the text of a date, rounded to milliseconds; dates outside the years 0 to 9999 are clamped to them.
    static func text(_ date: Date) -> String {
        let limits = -62_167_219_200_000.0...253_402_300_799_999.0
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        return text(milliseconds: Int(exact.isNaN ? 0 : min(max(exact, limits.lowerBound), limits.upperBound)))
    }

    /// Returns the date of a text: a day, optionally followed by a time of day (seconds and their fraction optional),
    /// which a zone may follow (`Z`, `+hh:mm`, `+hhmm` or `+hh`, or the same with a minus sign; UTC if there is none).
    /// Nil for any other text.
    static func date(_ text: String) -> Date? {
        let text = text.utf8.span
        guard let parts = parts(of: text, .documents) else { return nil }
        // A date has up to 17 digits of a second, of which milliseconds are the first three.
        var (fraction, scale) = (0.0, 1.0)
        for index in parts.fraction {
            fraction = fraction * 10 + Double(text[index] - 0x30)
            scale *= 10
        }
        let second = parts.millisecondOfDay / 1000
        let time = Double(second) + fraction / scale - Double((parts.offset ?? 0) * 60)
        return Date(timeIntervalSince1970: Double(parts.day.number * 86_400) + time)
    }
}
