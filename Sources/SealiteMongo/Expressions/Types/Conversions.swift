internal import SealiteValues

extension ExpressionOperator {
    /// The operators that convert values to other types, such as `$toInt` and `$convert`.
    static let conversions: [ExpressionOperator] = [
        to("$toInt", .int32), to("$toLong", .int64), to("$toDouble", .double), to("$toDecimal", .decimal128),
        to("$toBool", .bool), to("$toString", .string), to("$toDate", .datetime), to("$toObjectId", .objectID),
        .init("$toUUID") { argument in
            if argument.isNullish { return .null }
            return try Conversion(type: .binary, subtype: 4, format: .uuid).converted(argument ?? .null)
        },
        .init("$convert", parsing: convert),
    ]

    private static func to(_ name: String, _ type: BSONType) -> ExpressionOperator {
        .init(name) { argument in
            guard let argument, !Optional(argument).isNullish else { return .null }
            return try Conversion(type: type).converted(argument)
        }
    }

    @Sendable private static func convert(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let names = ["input", "to", "format", "onError", "onNull", "byteOrder"]
        let operands = try NamedOperands(operand, of: "$convert", names, required: ["input", "to"])
        let nodes = try names.map { try operands[$0].map(parser.parse) ?? .constant(nil) }
        let (onError, onNull) = (operands["onError"] != nil, operands["onNull"] != nil)
        return .form { evaluation in
            let values = try nodes[..<3].map { try $0.value(evaluation) }
            guard let input = values[0], !Optional(input).isNullish else {
                return onNull ? try nodes[4].value(evaluation) : .null
            }
            guard let target = values[1], !Optional(target).isNullish else { return .null }
            let conversion = try Conversion(to: target, format: values[2])
            do {
                return try conversion.converted(input)
            } catch let error as MongoError where onError && error.code == 241 {
                return try nodes[3].value(evaluation)
            }
        }
    }
}
