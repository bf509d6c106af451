internal import SealiteValues

extension ExpressionOperator {
    /// The operators on the bits of integers, such as `$bitAnd`.
    static let bits: [ExpressionOperator] = [
        bits("$bitAnd", start: -1) { $0 & $1 }, bits("$bitOr", start: 0) { $0 | $1 },
        bits("$bitXor", start: 0) { $0 ^ $1 },
        .init("$bitNot") { argument in
            switch argument {
            case nil, .null, .undefined: return .null
            case .int32(let value): return .int32(~value)
            case .int64(let value): return .int64(~value)
            default: throw MongoError(code: 28765, "$bitNot takes integers, not \(argument.typeName).")
            }
        },
    ]

    private static func bits(
        _ name: String, start: Int64, _ operation: @escaping @Sendable (Int64, Int64) -> Int64
    ) -> ExpressionOperator {
        .init(name, 0...) { arguments in
            var (result, isWide, hasNull) = (start, false, false)
            for argument in arguments {
                if argument.isNullish {
                    hasNull = true
                    continue
                }
                guard let number = Number(argument), let integer = number.integer else {
                    throw MongoError(code: 14, "\(name) takes integers, not \(argument.typeName).")
                }
                isWide = isWide || number.isInt64
                result = operation(result, integer)
            }
            return hasNull ? .null : isWide ? .int64(result) : .int32(Int32(truncatingIfNeeded: result))
        }
    }
}
