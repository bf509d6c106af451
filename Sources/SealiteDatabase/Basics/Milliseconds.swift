internal import FoundationEssentials

/// Converts dates to the form in which times are stored: milliseconds since 1970.
enum Milliseconds {
    static var now: Int64 { of(Date()) }

    static func of(_ date: Date) -> Int64 {
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    }

    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
