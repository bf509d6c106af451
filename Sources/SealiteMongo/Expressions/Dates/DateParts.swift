internal import SealiteFunctions
internal import SealiteValues

extension ExpressionOperator {
    /// The operators that return parts of dates, such as `$year`, and those that convert a date to all its parts and
    /// back.
    static let dateParts: [ExpressionOperator] = [
        part("$year") { $0.year }, part("$month") { $0.month }, part("$dayOfMonth") { $0.day },
        part("$hour") { $0.hour }, part("$minute") { $0.minute }, part("$second") { $0.second },
        part("$millisecond") { $0.millisecond }, part("$dayOfYear") { $0.dayOfYear },
        part("$dayOfWeek") { $0.dayOfWeek }, part("$isoDayOfWeek") { $0.isoDayOfWeek },
        part("$week") { $0.week }, part("$isoWeek") { $0.isoWeek },
        part("$isoWeekYear", isLong: true) { $0.isoWeekYear },
        .init(
            "$dateToParts", named: ["date", "timezone?", "iso8601?"],
            defaults: Zone.absent.merging(["iso8601": .bool(false)]) { first, _ in first },
            code: OperandCodes(shape: 40524, unknown: 40520, absent: 40522), toParts),
        .init("$dateFromParts", parsing: fromParts),
    ]

    /// Returns an operator that returns one part of a date. Its operand is a date, or an object of a date and a time
    /// zone.
    private static func part(
        _ name: String, isLong: Bool = false, _ field: @escaping @Sendable (CalendarTime) -> Int
    ) -> ExpressionOperator {
        .init(name) { operand, parser in
            let nodes: [ExpressionNode]
            if case .document(let document) = operand, document.members.first?.key.hasPrefix("$") != true {
                let operands = try NamedOperands(
                    operand, of: name, ["date", "timezone?"],
                    code: OperandCodes(shape: 40535, unknown: 40535, absent: 40539))
                nodes = try operands.nodes(parser, Zone.absent)
            } else {
                let items = operand.items ?? [operand]
                try require(items.count == 1, 40536, "\(name) takes one argument, not \(items.count).")
                nodes = [try parser.parse(items[0]), .constant("UTC")]
            }
            return .call(
                { arguments in
                    guard let zone = try Zone.argument(arguments[1]) else { return .null }
                    if arguments[0].isNullish { return .null }
                    let value = field(zone.calendar(try date(arguments[0], name)))
                    return isLong ? .int64(Int64(value)) : BSON(value)
                }, nodes)
        }
    }

    /// Returns the time of an argument of the operator `name`; throws `MongoError` with `code` if it isn't a date, a
    /// timestamp or an ObjectID.
    static func date(_ value: BSON?, _ name: String, _ code: Int = 16006) throws -> DateTime {
        return try require(
            DateTime(of: value), code, "\(name) takes a date, a timestamp or an objectId, not \(value.typeName).")
    }

    // MARK: All parts

    @Sendable private static func toParts(_ arguments: OperatorArguments) throws -> BSON? {
        guard let zone = try Zone.argument(arguments[1]) else { return .null }
        if arguments[2].isNullish { return .null }
        guard case .bool(let isISO) = arguments[2] else {
            throw MongoError(code: 40521, "$dateToParts takes a boolean 'iso8601', not \(arguments[2].typeName).")
        }
        if arguments[0].isNullish { return .null }
        return .document(parts(zone.calendar(try date(arguments[0], "$dateToParts")), isISO))
    }

    private static func parts(_ time: CalendarTime, _ isISO: Bool) -> MongoDocument {
        var document: MongoDocument =
            isISO
            ? [
                "isoWeekYear": BSON(time.isoWeekYear), "isoWeek": BSON(time.isoWeek),
                "isoDayOfWeek": BSON(time.isoDayOfWeek),
            ] : ["year": BSON(time.year), "month": BSON(time.month), "day": BSON(time.day)]
        document["hour"] = BSON(time.hour)
        document["minute"] = BSON(time.minute)
        document["second"] = BSON(time.second)
        document["millisecond"] = BSON(time.millisecond)
        return document
    }

    private static let dayNames = ["year", "month", "day"]
    private static let weekNames = ["isoWeekYear", "isoWeek", "isoDayOfWeek"]
    private static let timeNames = ["hour", "minute", "second", "millisecond"]

    @Sendable private static func fromParts(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let codes = OperandCodes(shape: 40519, unknown: 40518, absent: 40516)
        let all = (dayNames + weekNames + timeNames + ["timezone"]).map { $0 + "?" }
        let operands = try NamedOperands(operand, of: "$dateFromParts", all, code: codes)
        let isISO = operands["isoWeekYear"] != nil
        try require(isISO || operands["year"] != nil, 40516, "$dateFromParts needs 'year' or 'isoWeekYear'.")
        try require(
            !(isISO ? dayNames : weekNames).contains(where: { operands[$0] != nil }),
            isISO && operands["year"] == nil ? 40525 : 40489,
            "$dateFromParts takes either 'year', 'month' and 'day', or 'isoWeekYear', 'isoWeek' and 'isoDayOfWeek'.")
        let names = (isISO ? weekNames : dayNames) + timeNames
        // An absent part has its lowest value.
        let nodes = try names.enumerated().map { index, name in
            try operands.node(name, parser, absent: .int32(index < 3 ? 1 : 0))
        }
        let zone = try operands.node("timezone", parser, absent: "UTC")
        return .call(
            { arguments in
                guard let zone = try Zone.argument(arguments[7]), let numbers = try partNumbers(arguments, names) else {
                    return .null
                }
                return .datetime(try date(numbers, isISO, zone))
            }, nodes + [zone])
    }

    /// Returns the integers of the parts of a date and a time; nil if a part is null, undefined or missing.
    private static func partNumbers(_ arguments: OperatorArguments, _ names: [String]) throws -> [Int]? {
        var numbers: [Int] = []
        for (index, name) in names.enumerated() {
            if arguments[index].isNullish { return nil }
            let number = try require(
                BSONNumber(arguments[index])?.exactInteger, 40515, "$dateFromParts takes an integer as '\(name)'.")
            let range = index == 0 ? 1...9999 : index < 5 ? -32768...32767 : -1_000_000_000_000...1_000_000_000_000
            try require(
                range.contains(Int(number)), index == 0 ? 40523 : 31034,
                "'\(name)' of $dateFromParts must be from \(range.lowerBound) to \(range.upperBound).")
            numbers.append(Int(number))
        }
        return numbers
    }

    private static func date(_ numbers: [Int], _ isISO: Bool, _ zone: Zone) throws -> DateTime {
        let day =
            isISO
            ? CalendarTime.day(isoYear: numbers[0], week: numbers[1], day: numbers[2])
            : CalendarTime.day(year: numbers[0], month: numbers[1], day: numbers[2])
        let wall = CalendarTime.wall(day: day, clock: numbers[3...])
        return try require(wall.flatMap(zone.time(wall:)), DateTime.overflow("$dateFromParts"))
    }
}
