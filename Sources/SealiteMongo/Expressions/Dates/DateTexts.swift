internal import SealiteValues

extension ExpressionOperator {
    /// The operators `$dateToString` and `$dateFromString`.
    static let dateTexts: [ExpressionOperator] = [
        .init("$dateToString", parsing: toText),
        .init("$dateFromString", parsing: fromText),
    ]

    @Sendable private static func toText(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let names = ["date", "format?", "timezone?", "onNull?"]
        let codes = OperandCodes(shape: 18629, unknown: 18534, absent: 18628)
        let operands = try NamedOperands(operand, of: "$dateToString", names, code: codes)
        let format = try operands["format"].map(parser.parse)
        let constantFormat = try format?.constant.flatMap {
            try DatePattern.argument($0, "$dateToString", isWritten: true)
        }
        let date = try operands.node("date", parser)
        let zone = try operands.node("timezone", parser, absent: "UTC")
        let fallback = try operands.node("onNull", parser, absent: .null)
        if let zone = zone.constant { _ = try Zone.argument(zone) }
        return .form { evaluation in
            let date = try date.value(evaluation)
            if date.isNullish { return try fallback.value(evaluation) }
            guard let zone = try Zone.argument(zone.value(evaluation)) else { return .null }
            let time = zone.calendar(try Self.date(date, "$dateToString"))
            guard let format else { return .string(try DatePattern.standard(zone).text(of: time)) }
            let known =
                try constantFormat
                ?? DatePattern.argument(format.value(evaluation), "$dateToString", isWritten: true)
            return try known.map { .string(try $0.text(of: time)) } ?? .null
        }
    }

    @Sendable private static func fromText(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let names = ["dateString", "format?", "timezone?", "onError?", "onNull?"]
        let codes = OperandCodes(shape: 40540, unknown: 40541, absent: 40542)
        let operands = try NamedOperands(operand, of: "$dateFromString", names, code: codes)
        let (isZoned, hasFormat) = (operands["timezone"] != nil, operands["format"] != nil)
        let nodes = try operands.nodes(parser, ["timezone": "UTC", "onNull": .null])
        let onError = operands["onError"] != nil
        return .form { evaluation in
            let text = try nodes[0].value(evaluation)
            do {
                if text.isNullish { return try nodes[4].value(evaluation) }
                let text = try requireString(text, 241, "$dateFromString takes a string as 'dateString'")
                let formatText = hasFormat ? try nodes[1].value(evaluation) : nil
                if hasFormat, formatText.isNullish { return .null }
                guard let zone = try Zone.argument(nodes[2].value(evaluation)) else { return .null }
                let format = try DatePattern.argument(formatText, "$dateFromString", isWritten: false)
                return .datetime(try DateReader.date(of: text, format, isZoned && !zone.isUTC ? zone : nil))
            } catch let error as MongoError where onError && error.code == 241 {
                return try nodes[3].value(evaluation)
            }
        }
    }
}

extension DatePattern {
    /// Returns the default format of `$dateToString` in a zone: only a time in UTC ends with `Z`, which names the
    /// instant.
    fileprivate static func standard(_ zone: Zone) -> DatePattern { zone.isUTC ? standardInUTC : standardLocal }

    private static let standardLocal = DatePattern(parts: [
        .field(.year), .literal([0x2D]), .field(.month), .literal([0x2D]), .field(.day), .literal([0x54]),
        .field(.hour), .literal([0x3A]), .field(.minute), .literal([0x3A]), .field(.second), .literal([0x2E]),
        .field(.millisecond),
    ])
    private static let standardInUTC = DatePattern(parts: standardLocal.parts + [.literal([0x5A])])

    private init(parts: [Part]) { self.parts = parts }

    /// Returns the format of the argument `format` of the operator `name`; nil if it is null, undefined or missing.
    fileprivate static func argument(_ value: BSON?, _ name: String, isWritten: Bool) throws -> DatePattern? {
        if value.isNullish { return nil }
        let text = try requireString(value, isWritten ? 18533 : 40684, "\(name) takes a string as 'format'")
        return try DatePattern(text, isWritten: isWritten)
    }
}

/// A format of dates, such as `%Y-%m-%d`.
struct DatePattern: Sendable {
    /// A part of a format: literal text, or a directive.
    enum Part: Sendable, Equatable {
        case literal([UInt8])
        case field(Field)
    }

    /// A directive: the character after a percent sign, which stands for a part of a date.
    enum Field: UInt8, Sendable {
        case day = 0x64
        case isoYear = 0x47
        case hour = 0x48
        case dayOfYear = 0x6A
        case millisecond = 0x4C
        case month = 0x6D
        case minute = 0x4D
        case second = 0x53
        case isoDayOfWeek = 0x75
        case week = 0x55
        case isoWeek = 0x56
        case dayOfWeek = 0x77
        case year = 0x59
        case offset = 0x7A
        case offsetMinutes = 0x5A
        case monthAbbreviation = 0x62
        case monthName = 0x42
    }

    let parts: [Part]

    /// Parses a format, which is used for writing dates if `isWritten` is true, otherwise for parsing them. Week
    /// numbers for weeks that start on Sundays, and the days of such weeks, are allowed for writing only.
    init(_ text: String, isWritten: Bool) throws {
        var parts: [Part] = []
        var literal: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == 0x25 else {
                literal.append(byte)
                continue
            }
            let sign = try require(
                bytes.popFirst(), 18535,
                "A date format ends with a single percent sign; '%%' stands for the sign itself.")
            if sign == 0x25 {
                literal.append(sign)
                continue
            }
            guard let field = Field(rawValue: sign), isWritten || field != .week && field != .dayOfWeek else {
                throw MongoError(
                    code: 18536,
                    "A date format has an unknown directive after a percent sign, or '%U' or '%w', which only $dateToString takes."
                )
            }
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = []
            parts.append(.field(field))
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    static let monthNames = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns the text of a time in this format; throws `MongoError` if the year isn't from 0 to 9999.
    func text(of time: CalendarTime) throws -> String {
        try require(
            (0...9999).contains(time.year), 18537, "$dateToString can't write a date outside of the years 0 to 9999.")
        var text: [UInt8] = []
        for part in parts {
            switch part {
            case .literal(let bytes): text += bytes
            case .field(let field): text += Self.text(of: field, time).utf8
            }
        }
        return text.text
    }

    private static func text(of field: Field, _ time: CalendarTime) -> String {
        switch field {
        case .day: Text.padded(time.day, 2)
        case .isoYear: Text.padded(time.isoWeekYear, 4)
        case .hour: Text.padded(time.hour, 2)
        case .dayOfYear: Text.padded(time.dayOfYear, 3)
        case .millisecond: Text.padded(time.millisecond, 3)
        case .month: Text.padded(time.month, 2)
        case .minute: Text.padded(time.minute, 2)
        case .second: Text.padded(time.second, 2)
        case .isoDayOfWeek: "\(time.isoDayOfWeek)"
        case .week: Text.padded(time.week, 2)
        case .isoWeek: Text.padded(time.isoWeek, 2)
        case .dayOfWeek: "\(time.dayOfWeek)"
        case .year: Text.padded(time.year, 4)
        case .offset:
            (time.offset < 0 ? "-" : "+") + Text.padded(abs(time.offset) / 3600, 2)
                + Text.padded(abs(time.offset) / 60 % 60, 2)
        case .offsetMinutes: "\(time.offset / 60)"
        case .monthAbbreviation: String(monthNames[time.month - 1].prefix(3))
        case .monthName: monthNames[time.month - 1]
        }
    }
}
