internal import SealiteValues

/// The parts of a date that were parsed from a text.
struct DateFields {
    private var numbers: [DateFormat.Field: Int] = [:]
    /// The time zone that the text names; nil if it names none.
    private(set) var zone: Zone?

    // MARK: By a format

    /// Parses the UTF-8 bytes of a text by a format, and stores its parts; throws `MongoError` 241 if it doesn't match.
    mutating func read(_ bytes: [UInt8], _ format: DateFormat) throws {
        var scanner = DateScanner(bytes)
        for part in format.parts {
            switch part {
            case .literal(let literal):
                guard scanner.skip(literal) else {
                    throw DateReader.failure("lacks literal text that the format has")
                }
            case .field(let field): try read(field, &scanner)
            }
        }
        guard scanner.isAtEnd else { throw DateReader.failure("goes on after the end of the format") }
    }

    private mutating func read(_ field: DateFormat.Field, _ scanner: inout DateScanner) throws {
        switch field {
        case .offset: zone = try scanner.zone()
        case .offsetMinutes: zone = .fixed(try scanner.signedNumber() * 60)
        case .monthName, .monthAbbreviation:
            guard let month = scanner.month() else {
                throw DateReader.failure("lacks the name of a month that the format has")
            }
            numbers[.month] = month
        case .millisecond:
            guard let milliseconds = scanner.fraction(3) else {
                throw DateReader.failure("lacks a number that the format has")
            }
            numbers[.millisecond] = milliseconds
        default:
            let width =
                field == .year || field == .isoYear ? 4 : field == .dayOfYear ? 3 : field == .isoDayOfWeek ? 1 : 2
            guard let number = scanner.number(width) else {
                throw DateReader.failure("lacks a number that the format has")
            }
            numbers[field] = number
        }
    }

    // MARK: In the common forms

    /// Parses a text without a format, and stores its parts: a date in one of its common forms, optionally followed by
    /// a time and a zone. Throws `MongoError` 241 for other texts.
    mutating func readFreely(_ text: String) throws {
        var scanner = DateScanner(Array(text.utf8))
        scanner.skipSpace()
        guard try readDay(&scanner) else {
            throw DateReader.failure("doesn't begin with a day in a known form, such as 2017-07-04")
        }
        scanner.skipSpace()
        _ = scanner.skip([0x54]) || scanner.skip([0x74]) || scanner.skip([0x2C])
        scanner.skipSpace()
        if !scanner.isAtEnd, try !readTime(&scanner) {
            throw DateReader.failure("has something else than a time, such as 12:30:00, after its day")
        }
        scanner.skipSpace()
        if !scanner.isAtEnd { zone = try scanner.zone() }
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw DateReader.failure("goes on after its time and time zone") }
    }

    private mutating func readDay(_ scanner: inout DateScanner) throws -> Bool {
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
        let hour = numbers[.hour] ?? 0, minute = numbers[.minute] ?? 0, second = numbers[.second] ?? 0
        guard hour < 24, minute < 60, second < 60 else {
            throw DateReader.failure("has an hour above 23, or a minute or a second above 59")
        }
        let millisecond = numbers[.millisecond] ?? 0
        let hasWeek = numbers[.isoYear] != nil || numbers[.isoWeek] != nil || numbers[.isoDayOfWeek] != nil
        let hasDay =
            numbers[.year] != nil || numbers[.month] != nil || numbers[.day] != nil || numbers[.dayOfYear] != nil
        guard !(hasWeek && hasDay) else {
            throw DateReader.failure("has parts of an ISO 8601 week date beside a year, a month or a day")
        }
        if hasWeek {
            guard let year = numbers[.isoYear] else { throw DateReader.failure("has no year") }
            return CalendarTime.wall(
                isoYear: year, week: numbers[.isoWeek] ?? 1, day: numbers[.isoDayOfWeek] ?? 1, hour: hour,
                minute: minute, second: second, millisecond: millisecond)
        }
        guard let year = numbers[.year] else { throw DateReader.failure("has no year") }
        if let day = numbers[.dayOfYear] {
            return CalendarTime.wall(
                year: year, month: 1, day: day, hour: hour, minute: minute, second: second, millisecond: millisecond)
        }
        guard let month = numbers[.month], let day = numbers[.day] else {
            throw DateReader.failure("lacks a month or a day")
        }
        guard (1...12).contains(month), (1...31).contains(day) else {
            throw DateReader.failure("has a month that isn't from 1 to 12, or a day that isn't from 1 to 31")
        }
        return CalendarTime.wall(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: millisecond)
    }
}
