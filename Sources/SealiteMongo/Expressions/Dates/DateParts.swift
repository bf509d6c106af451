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
        part("$week") { $0.week }, part("$isoWeek") { $0.isoWeek }, part("$isoWeekYear") { $0.isoWeekYear },
        .init("$dateToParts", parsing: toParts),
        .init("$dateFromParts", parsing: fromParts),
    ]

    /// Returns an operator that returns one part of a date. Its operand is a date, or an object of a date and a time
    /// zone.
    private static func part(
        _ name: String, _ field: @escaping @Sendable (CalendarTime) -> Int
    ) -> ExpressionOperator {
        .init(name) { operand, parser in
            var operands = MongoDocument()
            if case .document(let document) = operand, document.members.first?.key.hasPrefix("$") != true {
                operands = document
                _ = try NamedOperands(operand, of: name, ["date", "timezone"], required: ["date"], code: 40535)
            } else if case .array(let items) = operand {
                guard items.count == 1 else {
                    throw MongoError(code: 40536, "\(name) takes one argument, not \(items.count).")
                }
                operands["date"] = items[0]
            } else {
                operands["date"] = operand
            }
            let isZoned = operands["timezone"] != nil
            let nodes = try ["date", "timezone"].map { try operands[$0].map(parser.parse) ?? .constant(nil) }
            return .call(
                { arguments in
                    guard let zone = try Zone.argument(arguments[1], isGiven: isZoned) else { return .null }
                    if arguments[0].isNullish { return .null }
                    return BSON(field(zone.calendar(try date(arguments[0], name))))
                }, nodes)
        }
    }

    /// Returns the time of an argument of the operator `name`; throws `MongoError` if it isn't a date, a timestamp or
    /// an ObjectID.
    static func date(_ value: BSON?, _ name: String) throws -> DateTime {
        guard let date = DateTime(of: value) else {
            throw MongoError(code: 16006, "\(name) takes a date, a timestamp or an objectId, not \(value.typeName).")
        }
        return date
    }

    // MARK: All parts

    @Sendable private static func toParts(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let names = ["date", "timezone", "iso8601"]
        let operands = try NamedOperands(operand, of: "$dateToParts", names, required: ["date"], code: 40522)
        let isZoned = operands["timezone"] != nil
        let hasForm = operands["iso8601"] != nil
        return .call(
            { arguments in
                guard let zone = try Zone.argument(arguments[1], isGiven: isZoned) else { return .null }
                if hasForm, arguments[2].isNullish { return .null }
                var isISO = false
                if hasForm {
                    guard case .bool(let value) = arguments[2] else {
                        throw MongoError(
                            code: 40521, "$dateToParts takes a boolean 'iso8601', not \(arguments[2].typeName).")
                    }
                    isISO = value
                }
                if arguments[0].isNullish { return .null }
                return .document(parts(zone.calendar(try date(arguments[0], "$dateToParts")), isISO))
            }, try names.map { try operands[$0].map(parser.parse) ?? .constant(nil) })
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
        let operands = try NamedOperands(
            operand, of: "$dateFromParts", dayNames + weekNames + timeNames + ["timezone"], required: [], code: 40519)
        let isISO = operands["isoWeekYear"] != nil
        guard isISO || operands["year"] != nil else {
            throw MongoError(code: 40516, "$dateFromParts needs 'year' or 'isoWeekYear'.")
        }
        guard !(isISO ? dayNames : weekNames).contains(where: { operands[$0] != nil }) else {
            throw MongoError(
                code: 40489,
                "$dateFromParts takes either 'year', 'month' and 'day', or 'isoWeekYear', 'isoWeek' and 'isoDayOfWeek'."
            )
        }
        let names = (isISO ? weekNames : dayNames) + timeNames
        let given = names.map { operands[$0] != nil }
        let isZoned = operands["timezone"] != nil
        let nodes = try (names + ["timezone"]).map { try operands[$0].map(parser.parse) ?? .constant(nil) }
        return .call(
            { arguments in
                guard let zone = try Zone.argument(arguments[7], isGiven: isZoned),
                    let numbers = try partNumbers(arguments, names, given)
                else { return .null }
                return .datetime(try date(numbers, isISO, zone))
            }, nodes)
    }

    /// Returns the integers of the parts of a date and a time: the arguments, or for a part that isn't given its lowest
    /// value, 1 or 0. Nil if a given part is null, undefined or missing.
    private static func partNumbers(_ arguments: OperatorArguments, _ names: [String], _ given: [Bool]) throws -> [Int]?
    {
        var numbers: [Int] = []
        for (index, name) in names.enumerated() {
            guard given[index] else {
                numbers.append(index < 3 ? 1 : 0)
                continue
            }
            if arguments[index].isNullish { return nil }
            guard let number = BSONNumber(arguments[index])?.exactInteger else {
                throw MongoError(code: 40515, "$dateFromParts takes an integer as '\(name)'.")
            }
            let range = index == 0 ? 1...9999 : index < 5 ? -32768...32767 : -1_000_000_000_000...1_000_000_000_000
            guard range.contains(Int(number)) else {
                throw MongoError(
                    code: index == 0 ? 40523 : 31034,
                    "'\(name)' of $dateFromParts must be from \(range.lowerBound) to \(range.upperBound).")
            }
            numbers.append(Int(number))
        }
        return numbers
    }

    private static func date(_ numbers: [Int], _ isISO: Bool, _ zone: Zone) throws -> DateTime {
        let wall =
            isISO
            ? CalendarTime.wall(
                isoYear: numbers[0], week: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
                second: numbers[5], millisecond: numbers[6])
            : CalendarTime.wall(
                year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
                second: numbers[5], millisecond: numbers[6])
        guard let wall, let date = zone.time(wall: wall) else { throw DateTime.overflow("$dateFromParts") }
        return date
    }
}
