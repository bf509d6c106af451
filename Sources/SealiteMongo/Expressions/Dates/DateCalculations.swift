internal import SealiteBase
internal import SealiteValues

extension ExpressionOperator {
    /// The operators that calculate with dates, such as `$dateAdd`, and those that return the parts of timestamps.
    static let dateCalculations: [ExpressionOperator] = [
        sum("$dateAdd", sign: 1), sum("$dateSubtract", sign: -1),
        .init(
            "$dateDiff", named: ["startDate", "endDate", "unit", "timezone?", "startOfWeek?"],
            defaults: weekDefaults,
            code: OperandCodes(
                shape: 5_166_301, unknown: 5_166_302, absent: 5_166_303,
                absentByName: ["endDate": 5_166_304, "unit": 5_166_305]), difference),
        .init(
            "$dateTrunc", named: ["date", "unit", "binSize?", "timezone?", "startOfWeek?"],
            defaults: weekDefaults.merging(["binSize": .int32(1)]) { first, _ in first },
            code: OperandCodes(
                shape: 5_439_007, unknown: 5_439_008, absent: 5_439_009, absentByName: ["unit": 5_439_010]), truncation),
        .init("$tsSecond") { argument in
            try timestamp(argument, "$tsSecond").map { .int64(Int64($0.seconds)) } ?? .null
        },
        .init("$tsIncrement") { argument in
            try timestamp(argument, "$tsIncrement").map { .int64(Int64($0.increment)) } ?? .null
        },
    ]

    private static let weekDefaults = Zone.absent.merging(["startOfWeek": .string("sunday")]) { first, _ in first }

    private static func timestamp(_ value: BSON?, _ name: String) throws -> Timestamp? {
        if value.isNullish { return nil }
        guard case .timestamp(let timestamp) = value else {
            throw MongoError(code: 5687301, "\(name) takes a timestamp, not \(value.typeName).")
        }
        return timestamp
    }

    // MARK: Sums

    private static func sum(_ name: String, sign: Int) -> ExpressionOperator {
        let names = ["startDate", "unit", "amount", "timezone?"]
        let codes = OperandCodes(shape: 5_166_400, unknown: 5_166_401, absent: 5_166_402)
        return .init(name, named: names, defaults: Zone.absent, code: codes) { arguments in
            if arguments[..<3].contains(where: { $0.isNullish }) { return .null }
            guard let unit = try CalendarUnit.argument(arguments[1], name),
                let zone = try Zone.argument(arguments[3])
            else { return .null }
            let amount = try require(
                BSONNumber(arguments[2])?.exactInteger, 5166405, "\(name) takes an integer as 'amount'.")
            let start = try date(arguments[0], name, 5_166_403)
            try require(
                amount.magnitude <= unit.greatestDistance, 5_976_500,
                "'amount' of \(name) is greater than the distance of any two dates.")
            let (distance, isTooLarge) = Int(amount).multipliedReportingOverflow(by: sign)
            let end = isTooLarge ? nil : start.adding(distance, unit, zone)
            return .datetime(try require(end, DateTime.overflow(name)))
        }
    }

    /// Returns the unit in the argument with the index `unit` of the operator `name`, and the zone and the weekday in
    /// the arguments 3 and 4, of which the weekday counts for weeks only; nil if one of them is null, undefined or
    /// missing.
    private static func units(
        _ arguments: OperatorArguments, _ unit: Int, _ name: String
    ) throws -> (CalendarUnit, Zone, Weekday)? {
        guard let unit = try CalendarUnit.argument(arguments[unit], name), let zone = try Zone.argument(arguments[3]),
            let weekday = try unit == .week ? Weekday.argument(arguments[4], name) : .sunday
        else { return nil }
        return (unit, zone, weekday)
    }

    @Sendable private static func difference(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments[..<3].contains(where: { $0.isNullish }) { return .null }
        guard let (unit, zone, weekday) = try units(arguments, 2, "$dateDiff") else { return .null }
        let start = try date(arguments[0], "$dateDiff", 5_166_307)
        let end = try date(arguments[1], "$dateDiff", 5_166_307)
        let count = try require(start.count(of: unit, to: end, zone, weekday), DateTime.overflow("$dateDiff"))
        return .int64(Int64(count))
    }

    @Sendable private static func truncation(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments[..<3].contains(where: { $0.isNullish }) { return .null }
        guard let (unit, zone, weekday) = try units(arguments, 1, "$dateTrunc") else { return .null }
        let size = try require(
            BSONNumber(arguments[2])?.exactInteger, 5439017, "$dateTrunc takes an integer as 'binSize'.")
        try require(size > 0, 5439018, "$dateTrunc takes a positive 'binSize'.")
        if let length = unit.milliseconds {
            try require(
                !Int(size).multipliedReportingOverflow(by: length).overflow, 5_439_002,
                "'binSize' of $dateTrunc is too large for its unit.")
        } else {
            try require(size <= 100_000_000_000, 5_439_006, "'binSize' of $dateTrunc is too large for its unit.")
        }
        let start = try date(arguments[0], "$dateTrunc", 5_166_307).start(of: unit, count: Int(size), zone, weekday)
        return .datetime(try require(start, DateTime.overflow("$dateTrunc")))
    }
}

extension DateTime {
    /// The range of results in milliseconds: about 292,000 years before and after 1970, although 64 bits hold more. As
    /// in MongoDB, `$dateAdd` and `$dateSubtract` refuse results of some million years.
    private static let range = -9_223_372_000_000_000...9_223_372_000_000_000

    /// Returns the time that is a number of units later, or earlier for a negative number; nil if it is out of range.
    /// Days and longer units are counted on the calendar of the time zone. Adding months or longer units keeps the day
    /// of the month, or uses the month's last day.
    func adding(_ amount: Int, _ unit: CalendarUnit, _ zone: Zone) -> DateTime? {
        guard unit.isOfCalendar else {
            return unit.milliseconds.flatMap { moved(Int(milliseconds), amount, $0) }.flatMap(Self.init(within:))
        }
        let time = zone.calendar(self)
        guard let months = unit.months else {
            return unit.milliseconds.flatMap { moved(time.wall, amount, $0) }.flatMap { Self.init(within: $0, zone) }
        }
        let (distance, isTooFar) = amount.multipliedReportingOverflow(by: months)
        guard !isTooFar, distance.magnitude < 12_000_000 else { return nil }
        let month = time.monthNumber + distance
        let day = CalendarTime.firstDay(ofMonth: month) + min(time.day, CalendarTime.daysOfMonth(month)) - 1
        let clock = floorDivide(time.wall, by: CalendarDay.milliseconds).remainder
        return DateTime(within: day * CalendarDay.milliseconds + clock, zone)
    }

    private func moved(_ start: Int, _ amount: Int, _ length: Int) -> Int? {
        let (distance, isTooFar) = amount.multipliedReportingOverflow(by: length)
        let (sum, isOut) = start.addingReportingOverflow(distance)
        return isTooFar || isOut ? nil : sum
    }

    private init?(within milliseconds: Int) {
        guard Self.range.contains(milliseconds) else { return nil }
        self.init(milliseconds: Int64(milliseconds))
    }

    private init?(within wall: Int, _ zone: Zone) {
        guard Self.range.contains(wall), let time = zone.time(wall: wall) else { return nil }
        self = time
    }

    /// Returns the number of unit boundaries in a time zone between this time and `end`, negative if `end` is earlier;
    /// nil if 64 bits can't represent it. Weeks begin on `weekday`.
    func count(of unit: CalendarUnit, to end: DateTime, _ zone: Zone, _ weekday: Weekday) -> Int? {
        let (first, last) = (zone.calendar(self), zone.calendar(end))
        switch unit {
        case .year, .quarter, .month:
            let months = unit.months ?? 1
            return floorDivide(last.monthNumber, by: months).quotient
                - floorDivide(first.monthNumber, by: months).quotient
        case .week: return weekday.week(ofDay: last.dayNumber) - weekday.week(ofDay: first.dayNumber)
        case .day: return last.dayNumber - first.dayNumber
        case .hour, .minute, .second, .millisecond:
            guard let length = unit.milliseconds else { return nil }
            // Hours begin at the full hour of local time, also in zones with an offset of half an hour.
            let shift = unit == .hour ? first.offset * 1000 : 0
            let starts = [end, self].map { floorDivide(Int($0.milliseconds) &+ shift, by: length).quotient }
            let (count, isTooLarge) = starts[0].subtractingReportingOverflow(starts[1])
            return isTooLarge ? nil : count
        }
    }

    /// Returns the start of the bin that the time is in; nil if it is out of range. A bin is `count` units long. Bins
    /// are aligned to 2000-01-01T00:00 in the time zone, bins of weeks to the first `weekday` from that day on.
    func start(of unit: CalendarUnit, count: Int, _ zone: Zone, _ weekday: Weekday) -> DateTime? {
        let time = zone.calendar(self)
        if let months = unit.months {
            let (size, isTooLarge) = count.multipliedReportingOverflow(by: months)
            guard !isTooLarge, size < 1 << 40 else { return nil }
            let reference = 2000 * 12
            let month = reference + floorDivide(time.monthNumber - reference, by: size).quotient * size
            guard month.magnitude < 12_000_000 else { return nil }
            return DateTime(within: CalendarTime.firstDay(ofMonth: month) * CalendarDay.milliseconds, zone)
        }
        guard let length = unit.milliseconds,
            case let (size, isTooLarge) = count.multipliedReportingOverflow(by: length),
            !isTooLarge
        else { return nil }
        let millennium = 946_684_800_000
        guard unit.isOfCalendar else {
            // Units shorter than a day are counted in elapsed time.
            guard let reference = zone.time(wall: millennium) else { return nil }
            return floor(Int(milliseconds), from: Int(reference.milliseconds), size).flatMap(Self.init(within:))
        }
        let day = 10_957
        let reference = unit == .week ? day + floorDivide(weekday.rawValue - 6, by: 7).remainder : day
        return floor(time.wall, from: reference * CalendarDay.milliseconds, size)
            .flatMap { Self.init(within: $0, zone) }
    }

    private func floor(_ value: Int, from reference: Int, _ size: Int) -> Int? {
        let (distance, isOut) = value.subtractingReportingOverflow(reference)
        guard !isOut else { return nil }
        let (product, isTooFar) = floorDivide(distance, by: size).quotient.multipliedReportingOverflow(by: size)
        let (start, isBefore) = product.addingReportingOverflow(reference)
        return isTooFar || isBefore ? nil : start
    }
}
