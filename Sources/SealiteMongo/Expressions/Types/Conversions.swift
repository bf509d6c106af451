internal import SealiteValues

extension ExpressionOperator {
    /// Conversions of values to other types.
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

/// A conversion to a type.
struct Conversion {
    /// The text formats of bytes.
    enum Format: String {
        case base64, base64url, hex, utf8, uuid, auto
    }

    var type: BSONType
    var subtype: UInt8 = 0
    var format: Format?

    init(type: BSONType, subtype: UInt8 = 0, format: Format? = nil) {
        (self.type, self.subtype, self.format) = (type, subtype, format)
    }

    /// Creates the conversion of `$convert`'s arguments.
    init(to target: BSON, format: BSON?) throws {
        var (target, subtype) = (target, UInt8(0))
        if case .document(let members) = target {
            guard let type = members["type"] else { throw MongoError(code: 9, "$convert needs a 'type' in 'to'.") }
            target = type
            if let given = members["subtype"] {
                guard let number = Number(given)?.exactInteger, let byte = UInt8(exactly: number) else {
                    throw MongoError(code: 9, "$convert takes a number of a byte as 'subtype'.")
                }
                subtype = byte
            }
        }
        type = try Self.type(target)
        self.subtype = subtype
        guard !format.isNullish else { return }
        guard case .string(let text) = format, let known = Format(rawValue: text) else {
            throw MongoError(code: 4341125, "$convert: unknown 'format'.")
        }
        self.format = known
    }

    private static func type(_ target: BSON) throws -> BSONType {
        if case .string(let alias) = target {
            guard let type = BSONType(alias: alias) else {
                throw MongoError(code: 2, "$convert: unknown type 'to'.")
            }
            return type
        }
        guard let number = Number(target) else {
            throw MongoError(code: 9, "$convert takes a string or a number as 'to', not \(target.type.alias).")
        }
        guard let integer = number.exactInteger, let type = BSONType(rawValue: Int(integer)) else {
            throw MongoError(code: 9, "$convert: unknown type 'to'.")
        }
        return type
    }

    /// Returns the value, converted to the type.
    ///
    /// - Throws: `MongoError` 241 if the value can't be converted.
    func converted(_ value: BSON) throws -> BSON {
        switch type {
        case .bool: return .bool(Optional(value).isTrue)
        case .double: return .double(try double(value))
        case .decimal128: return .decimal128(try decimal(value))
        case .int32:
            guard let number = Int32(exactly: try integer(value)) else { throw failure(value, "it doesn't fit") }
            return .int32(number)
        case .int64: return .int64(try integer(value))
        case .string: return .string(try text(value))
        case .datetime: return .datetime(try date(value))
        case .objectID: return .objectID(try objectID(value))
        case .binary: return .binary(try binary(value))
        default:
            guard value.type == type else { throw failure(value, "there is no such conversion") }
            return value
        }
    }

    /// Returns the error for a value that can't be converted.
    func failure(_ value: BSON, _ reason: String) -> MongoError {
        MongoError(code: 241, "\(value.type.alias) can't be converted to \(type.alias): \(reason).")
    }
}
