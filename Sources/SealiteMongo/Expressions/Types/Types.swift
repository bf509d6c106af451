internal import SealiteValues

extension ExpressionOperator {
    /// The operators `$type` and `$isNumber`.
    static let types: [ExpressionOperator] = [
        .init("$type") { .string($0.typeName) },
        .init("$isNumber") { .bool(BSONNumber($0) != nil) },
    ]

    /// The operators `$bsonSize` and `$binarySize`.
    static let sizes: [ExpressionOperator] = [
        .init("$bsonSize") { argument in
            if argument.isNullish { return .null }
            let document = try requireDocument(argument, 31393, "$bsonSize takes a document")
            return BSON(document.bsonByteCount)
        },
        .init("$binarySize") { argument in
            switch argument {
            case nil, .null, .undefined: return .null
            case .string(let text): return BSON(text.utf8.count)
            case .binary(let binary): return BSON(binary.bytes.count)
            default: throw MongoError(code: 51276, "$binarySize takes a string or bytes, not \(argument.typeName).")
            }
        },
    ]
}

extension MongoDocument {
    /// The number of bytes of the document in BSON.
    var bsonByteCount: Int { 5 + members.reduce(0) { $0 + 2 + $1.key.utf8.count + $1.value.bsonByteCount } }
}

extension BSON {
    /// The number of bytes of the value in BSON, without its type and its name.
    var bsonByteCount: Int {
        switch self {
        case .double, .int64, .datetime, .timestamp: 8
        case .int32: 4
        case .decimal128: 16
        case .objectID: 12
        case .bool: 1
        case .null, .undefined, .minKey, .maxKey: 0
        case .string(let text), .code(let text), .symbol(let text): 5 + text.utf8.count
        case .document(let document): document.bsonByteCount
        case .array(let items):
            5 + items.enumerated().reduce(0) { $0 + 2 + Self.digitCount($1.offset) + $1.element.bsonByteCount }
        case .binary(let binary): 5 + binary.bytes.count + (binary.subtype == 2 ? 4 : 0)
        case .regex(let regex): 2 + regex.pattern.utf8.count + regex.options.utf8.count
        case .dbPointer(let pointer): 17 + pointer.collection.utf8.count
        case .codeWithScope(let text, let scope): 9 + text.utf8.count + scope.bsonByteCount
        }
    }

    private static func digitCount(_ number: Int) -> Int {
        var (count, rest) = (1, number / 10)
        while rest > 0 { (count, rest) = (count + 1, rest / 10) }
        return count
    }
}

extension ExpressionOperator {
    /// The operators that convert values to other types, such as `$toInt` and `$convert`.
    static let conversions: [ExpressionOperator] = [
        to("$toInt", .int32), to("$toLong", .int64), to("$toDouble", .double), to("$toDecimal", .decimal128),
        to("$toBool", .bool), to("$toString", .string, format: .auto), to("$toDate", .datetime),
        to("$toObjectId", .objectID),
        to("$toUUID", .binary, subtype: 4, format: .uuid),
        .init("$convert", parsing: convert),
    ]

    private static func to(
        _ name: String, _ type: BSONType, subtype: UInt8 = 0, format: Conversion.Format? = nil
    ) -> ExpressionOperator {
        .init(name) { operand, parser in
            let operands = operand.items ?? [operand]
            try require(operands.count == 1, 50723, "\(name) takes exactly 1 argument, not \(operands.count).")
            return .call(
                { arguments in
                    guard let argument = arguments[0], !argument.isNullish else { return .null }
                    return try Conversion(type: type, subtype: subtype, format: format).converted(argument)
                }, [try parser.parse(operands[0])])
        }
    }

    @Sendable private static func convert(_ operand: BSON, _ parser: ExpressionParser) throws -> ExpressionNode {
        let names = ["input", "to", "format?", "onError?", "onNull?", "byteOrder?"]
        let operands = try NamedOperands(operand, of: "$convert", names)
        let nodes = try operands.nodes(parser, ["onNull": .null])
        let onError = operands["onError"] != nil
        return .form { evaluation in
            let values = try nodes[..<3].map { try $0.value(evaluation) }
            guard let input = values[0], !input.isNullish else { return try nodes[4].value(evaluation) }
            guard let target = values[1], !target.isNullish else { return .null }
            let byteOrder = try nodes[5].value(evaluation)
            let conversion = try Conversion(to: target, format: values[2], byteOrder: byteOrder)
            do {
                return try conversion.converted(input)
            } catch let error as MongoError where onError && error.code == 241 {
                return try nodes[3].value(evaluation)
            }
        }
    }
}
