internal import SealiteValues

extension ExpressionOperator {
    /// The operators `$dateToString` and `$dateFromString`.
    static let dateTexts: [ExpressionOperator] = [
        .init("$dateToString", parsing: toText),
        .init("$dateFromString", parsing: fromText),
    ]

    @Sendable private static func toText(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let operands = try NamedOperands(
            operand, of: "$dateToString", ["date", "format", "timezone", "onNull"], required: ["date"], code: 18629)
        let isZoned = operands["timezone"] != nil
        let format = try operands["format"].map(parser.parse)
        let constantFormat = try format?.constant.flatMap {
            try DateFormat.argument($0, "$dateToString", isWritten: true)
        }
        let nodes = try ["date", "timezone", "onNull"].map { try operands[$0].map(parser.parse) ?? .constant(nil) }
        let hasFallback = operands["onNull"] != nil
        if isZoned, let zone = nodes[1].constant { _ = try Zone.argument(zone, isGiven: true) }
        return .form { evaluation in
            let date = try nodes[0].value(evaluation)
            if date.isNullish { return hasFallback ? try nodes[2].value(evaluation) : .null }
            guard let zone = try Zone.argument(nodes[1].value(evaluation), isGiven: isZoned) else { return .null }
            let time = zone.calendar(try Self.date(date, "$dateToString"))
            guard let format else { return .string(try DateFormat.standard.text(of: time)) }
            let known =
                try constantFormat
                ?? DateFormat.argument(format.value(evaluation), "$dateToString", isWritten: true)
            return try known.map { .string(try $0.text(of: time)) } ?? .null
        }
    }

    @Sendable private static func fromText(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let names = ["dateString", "format", "timezone", "onError", "onNull"]
        let operands = try NamedOperands(
            operand, of: "$dateFromString", names, required: ["dateString"], code: 40541)
        let (isZoned, hasFormat) = (operands["timezone"] != nil, operands["format"] != nil)
        let nodes = try names.map { try operands[$0].map(parser.parse) ?? .constant(nil) }
        let (onError, onNull) = (operands["onError"] != nil, operands["onNull"] != nil)
        return .form { evaluation in
            let text = try nodes[0].value(evaluation)
            do {
                if text.isNullish { return onNull ? try nodes[4].value(evaluation) : .null }
                guard case .string(let text) = text else {
                    throw MongoError(code: 241, "$dateFromString takes a string as 'dateString', not \(text.typeName).")
                }
                let formatText = hasFormat ? try nodes[1].value(evaluation) : nil
                if hasFormat, formatText.isNullish { return .null }
                guard let zone = try Zone.argument(nodes[2].value(evaluation), isGiven: isZoned) else { return .null }
                let format = try DateFormat.argument(formatText, "$dateFromString", isWritten: false)
                return .datetime(try DateReader.date(of: text, format, isZoned ? zone : nil))
            } catch let error as MongoError where onError && error.code == 241 {
                return try nodes[3].value(evaluation)
            }
        }
    }
}

extension DateFormat {
    /// The default format of `$dateToString`; its `Z` at the end is a literal, whatever the zone is.
    fileprivate static let standard = DateFormat(parts: [
        .field(.year), .literal([0x2D]), .field(.month), .literal([0x2D]), .field(.day), .literal([0x54]),
        .field(.hour), .literal([0x3A]), .field(.minute), .literal([0x3A]), .field(.second), .literal([0x2E]),
        .field(.millisecond), .literal([0x5A]),
    ])

    private init(parts: [Part]) { self.parts = parts }

    /// Returns the format of the argument `format` of the operator `name`; nil if it is null, undefined or missing.
    fileprivate static func argument(_ value: BSON?, _ name: String, isWritten: Bool) throws -> DateFormat? {
        if value.isNullish { return nil }
        guard case .string(let text) = value else {
            throw MongoError(code: 18533, "\(name) takes a string as 'format', not \(value.typeName).")
        }
        return try DateFormat(text, isWritten: isWritten)
    }
}
