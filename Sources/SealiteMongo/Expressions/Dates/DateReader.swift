internal import SealiteValues

/// Parses dates from text, by a format or in common forms.
enum DateReader {
    /// Parses a text by a format or, if it is nil, in one of the common forms. `zone` is the time zone of a text that
    /// names none; nil, for UTC, allows that the text names one.
    static func date(of text: String, _ format: DatePattern?, _ zone: Zone?) throws -> DateTime {
        try require(text.utf8.count <= 1000, .dateText("takes more than 1000 bytes"))
        var fields = DateFields()
        if let format {
            try fields.read(Array(text.utf8), format)
        } else {
            try fields.readFreely(text)
        }
        try require(zone == nil || fields.zone == nil, .dateText("has a time zone, and 'timezone' gives one, too"))
        guard let wall = try fields.wall(), let date = (fields.zone ?? zone ?? .utc).time(wall: wall) else {
            throw MongoError.dateText("is outside of the range of dates")
        }
        return date
    }
}

extension MongoError {
    /// Returns the error for an invalid text of a date. `what` is the rest of the sentence that begins with "The text
    /// of a date".
    fileprivate static func dateText(_ what: String) -> MongoError {
        MongoError(code: 241, "The text of a date \(what).")
    }
}

/// The parts of a date that were parsed from a text.
struct DateFields {
    private var numbers: [DatePattern.Field: Int] = [:]
    /// The time zone that the text names; nil if it names none.
    private(set) var zone: Zone?

    // MARK: By a format

    /// Parses the UTF-8 bytes of a text by a format, and stores its parts; throws `MongoError` 241 if it doesn't match.
    mutating func read(_ bytes: [UInt8], _ format: DatePattern) throws {
        var scanner = DateScanner(bytes)
        for part in format.parts {
            switch part {
            case .literal(let literal):
                try require(scanner.skip(literal), .dateText("lacks literal text that the format has"))
            case .field(let field): try read(field, &scanner)
            }
        }
        try require(scanner.isAtEnd, .dateText("goes on after the end of the format"))
    }

    private mutating func read(_ field: DatePattern.Field, _ scanner: inout DateScanner) throws {
        switch field {
        case .offset: zone = try scanner.zone()
        case .offsetMinutes: zone = .fixed(try scanner.signedNumber() * 60)
        case .monthName, .monthAbbreviation:
            let month = try require(scanner.month(), .dateText("lacks the name of a month that the format has"))
            numbers[.month] = month
        case .millisecond:
            let milliseconds = try require(scanner.fraction(3), .dateText("lacks a number that the format has"))
            numbers[.millisecond] = milliseconds
        default:
            let width =
                field == .year || field == .isoYear ? 4 : field == .dayOfYear ? 3 : field == .isoDayOfWeek ? 1 : 2
            let number = try require(scanner.number(width), .dateText("lacks a number that the format has"))
            numbers[field] = number
        }
    }

    // MARK: In the common forms

    /// Parses a text without a format, and stores its parts: a date in one of its common forms, optionally followed by
    /// a time and a zone. Throws `MongoError` 241 for other texts.
    mutating func readFreely(_ text: String) throws {
        var scanner = DateScanner(Self.trimmed(text))
        try require(readDay(&scanner), .dateText("doesn't begin with a day in a known form, such as 2017-07-04"))
        scanner.skipSpace()
        _ = scanner.skip([0x54]) || scanner.skip([0x74]) || scanner.skip([0x2C])
        scanner.skipSpace()
        if !scanner.isAtEnd, try !readTime(&scanner) {
            throw MongoError.dateText("has something else than a time, such as 12:30:00, after its day")
        }
        scanner.skipSpace()
        if !scanner.isAtEnd { zone = try scanner.zone() }
        try require(scanner.isAtEnd, .dateText("goes on after its time and time zone"))
    }

    /// Returns the bytes of a text without the spaces, tabs, line feeds and NULs at its ends.
    private static func trimmed(_ text: String) -> [UInt8] {
        let isSpace = { (scalar: Unicode.Scalar) in
            scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\0" || scalar == "\u{A0}"
        }
        var scalars = text.unicodeScalars[...].drop(while: isSpace)
        while let last = scalars.last, isSpace(last) { scalars.removeLast() }
        return Array(String(scalars).utf8)
    }

    private mutating func readDay(_ scanner: inout DateScanner) throws -> Bool {
        if let isValid = try readUnixDate(&scanner) { return isValid }
        if let month = scanner.month() {
            // July 4th, 2017
            scanner.skipSpace()
            guard let day = scanner.number(2) else { return false }
            scanner.skipOrdinal()
            _ = scanner.skip([0x2C])
            scanner.skipSpace()
            guard let year = scanner.number(4) else { return false }
            return set(year, month, day)
        }
        if scanner.skip([0x2D]) {
            // -0044-03-15
            guard let year = scanner.number(4), scanner.lastCount == 4, scanner.skip([0x2D]),
                let month = scanner.number(2), scanner.skip([0x2D]), let day = scanner.number(2)
            else { return false }
            return set(-year, month, day)
        }
        guard let first = scanner.number(4) else { return false }
        let digits = scanner.lastCount
        scanner.skipOrdinal()
        let separator = scanner.separator()
        if let month = scanner.month() {
            // 2017-Jul-04, 4 July 2017
            _ = scanner.separator()
            guard let last = scanner.number(4) else { return false }
            return digits == 4 ? set(first, month, last) : set(last, month, first)
        }
        guard let separator, let second = scanner.number(2), scanner.separator() == separator,
            let third = scanner.number(4)
        else { return false }
        if digits == 4 { return set(first, second, third) }
        // 07/04/2017 is month first; 04.07.2017 and 04-07-2017 are day first.
        return separator == 0x2F ? set(third, first, second) : set(third, second, first)
    }

    /// Reads a date with a weekday, and with the year behind the time and the zone, such as
    /// `Tue Jul 4 12:30:00 +02:00 2017`, and returns whether it is valid; nil if the text has another form.
    private mutating func readUnixDate(_ scanner: inout DateScanner) throws -> Bool? {
        var probe = scanner
        guard probe.skipWeekday(), let month = probe.month() else { return nil }
        probe.skipSpace()
        guard let day = probe.number(2) else { return nil }
        probe.skipSpace()
        var fields = self
        guard probe.isAtTime, try fields.readTime(&probe) else { return nil }
        probe.skipSpace()
        guard probe.isAtSign else { return nil }
        fields.zone = try probe.zone()
        probe.skipSpace()
        guard let year = probe.number(4), fields.set(year, month, day) else { return false }
        (self, scanner) = (fields, probe)
        return true
    }

    private mutating func set(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        (numbers[.year], numbers[.month], numbers[.day]) = (year, month, day)
        return (1...12).contains(month) && (1...31).contains(day)
    }

    private mutating func readTime(_ scanner: inout DateScanner) throws -> Bool {
        if scanner.skip(Array("noon".utf8)) {
            numbers[.hour] = 12
            return true
        }
        if scanner.skip(Array("midnight".utf8)) { return true }
        guard let hour = scanner.number(2), scanner.skip([0x3A]), let minute = scanner.number(2) else { return false }
        numbers[.hour] = hour
        numbers[.minute] = minute
        if scanner.skip([0x3A]) {
            guard let second = scanner.number(2) else { return false }
            numbers[.second] = second
            if scanner.skip([0x2E]) || scanner.skip([0x2C]) {
                guard let milliseconds = scanner.fraction(9) else { return false }
                numbers[.millisecond] = milliseconds
            }
        }
        scanner.skipSpace()
        if let isAfternoon = scanner.halfOfDay() {
            guard (1...12).contains(hour) else { return false }
            numbers[.hour] = hour % 12 + (isAfternoon ? 12 : 0)
        }
        return true
    }

    // MARK: The date

    /// Returns the local time of the parts, in milliseconds since 1970-01-01T00:00 local time; nil if it is out of
    /// range. Throws `MongoError` 241 if parts are missing, invalid or contradictory.
    func wall() throws -> Int? {
        let clock = [DatePattern.Field.hour, .minute, .second, .millisecond].map { numbers[$0] ?? 0 }
        try require(
            clock[0] < 24 && clock[1] < 60 && clock[2] < 60,
            .dateText("has an hour above 23, or a minute or a second above 59"))
        let hasWeek = [DatePattern.Field.isoYear, .isoWeek, .isoDayOfWeek].contains { numbers[$0] != nil }
        let hasDay = [DatePattern.Field.year, .month, .day, .dayOfYear].contains { numbers[$0] != nil }
        try require(
            !(hasWeek && hasDay), .dateText("has parts of an ISO 8601 week date beside a year, a month or a day"))
        let year = try require(numbers[hasWeek ? .isoYear : .year], .dateText("has no year"))
        if hasWeek {
            let (week, day) = (numbers[.isoWeek] ?? 1, numbers[.isoDayOfWeek] ?? 1)
            return CalendarTime.wall(day: CalendarTime.day(isoYear: year, week: week, day: day), clock: clock)
        }
        if let day = numbers[.dayOfYear] {
            // As in MongoDB, a day of the year is read as the number of days after January 1.
            return CalendarTime.wall(day: CalendarTime.day(year: year, month: 1, day: day + 1), clock: clock)
        }
        guard let month = numbers[.month], let day = numbers[.day] else {
            throw MongoError.dateText("lacks a month or a day")
        }
        try require(
            (1...12).contains(month) && day >= 1 && day <= CalendarTime.daysOfMonth(year * 12 + month - 1),
            .dateText("has a month that isn't from 1 to 12, or a day that the month doesn't have"))
        return CalendarTime.wall(day: CalendarTime.day(year: year, month: month, day: day), clock: clock)
    }
}

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
        let number = try require(number(4), .dateText("lacks an offset in minutes that the format has"))
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

    /// A Boolean value that says whether a time is next: digits with a colon after them.
    var isAtTime: Bool {
        var copy = self
        return copy.number(2) != nil && copy.skip([0x3A])
    }

    /// A Boolean value that says whether a plus or minus sign is next.
    var isAtSign: Bool { peek == 0x2B || peek == 0x2D }

    /// Skips the full name of a weekday or its first three letters, in any case, and the spaces after it; returns
    /// whether there is one.
    mutating func skipWeekday() -> Bool {
        let word = word()
        let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        guard word.utf8.count >= 3, names.contains(where: { word == $0 || word == $0.prefix(3) }) else { return false }
        offset += word.utf8.count
        skipSpace()
        return true
    }

    /// Scans the full name of a month or its first three letters, in any case, and returns the month from 1; nil if
    /// there is none.
    mutating func month() -> Int? {
        let word = word()
        guard word.utf8.count >= 3 else { return nil }
        let index = DatePattern.monthNames.firstIndex { name in
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
            try require(isUTC, .dateText("lacks a time zone that the format has"))
            return .utc
        }
        guard sign == 0x2B || sign == 0x2D else {
            let name = bytes[offset...].prefix { $0 != 0x20 }
            offset += name.count
            do { return try Zone(Array(name).text) } catch {
                throw MongoError.dateText("has a time zone that isn't known")
            }
        }
        offset += 1
        let first = try require(number(2), .dateText("has no offset of a time zone after the sign"))
        _ = skip([0x3A])
        let minutes = number(2) ?? 0
        return .fixed((sign == 0x2D ? -1 : 1) * (first * 3600 + minutes * 60))
    }
}
