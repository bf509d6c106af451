internal import SealiteBase

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
