internal import SealiteValues

/// The update operators `$inc`, `$mul` and `$bit`.
enum NumberOperators {
    static let inc = changing("$inc", absent: { $0 }, { $0.sum(with: $1) })
    static let mul = changing("$mul", absent: { $0.zero }, { $0.product(with: $1) })

    /// Returns the parsing function of an operator that changes a number. `absent` returns the value that a missing
    /// number gets, and `combine` the number's new value, nil if it is an integer of more than 64 bits.
    private static func changing(
        _ name: String, absent: @escaping @Sendable (BSON) -> BSON,
        _ combine: @escaping @Sendable (BSONNumber, BSONNumber) -> BSONNumber?
    ) -> UpdateParser.Reader {
        { path, operand, _ in
            let change = try require(BSONNumber(operand), .typeMismatch("\(name) of '\(path.text)' takes a number."))
            return FieldOperation(name, missing: .makesValue) { value, _, path in
                guard let value else { return .value(absent(operand)) }
                let number = try require(
                    BSONNumber(value),
                    .typeMismatch("\(name) changes numbers, and '\(path)' is of the type \(value.type.alias)."))
                let result = try require(
                    combine(number, change), .badValue("The result of \(name) for '\(path)' has more than 64 bits."))
                let new = result.bson
                // Zero stays negative.
                return new.type == value.type && new.compared(to: value) == 0 ? .unchanged : .value(new)
            }
        }
    }

    // MARK: - Bits

    private static let bitOperators: [String: @Sendable (Int64, Int64) -> Int64] = [
        "and": { $0 & $1 }, "or": { $0 | $1 }, "xor": { $0 ^ $1 },
    ]

    static let bit: UpdateParser.Reader = { path, operand, _ in
        guard case .document(let steps) = operand, !steps.isEmpty else {
            throw MongoError.badValue("$bit of '\(path.text)' takes an object with 'and', 'or' or 'xor'.")
        }
        let operations = try steps.map { step in
            let function = try require(
                bitOperators[step.key], .badValue("$bit takes 'and', 'or' and 'xor', not '\(step.key)'."))
            let operand = try integer(step.value, "The operand of '\(step.key)' for '\(path.text)'")
            return (function: function, operand: operand)
        }
        return FieldOperation("$bit", missing: .makesValue) { value, _, path in
            var (result, isLong) = try integer(value ?? .int32(0), "'\(path)'")
            for operation in operations {
                result = operation.function(result, operation.operand.value)
                isLong = isLong || operation.operand.isLong
            }
            guard !isLong, let small = Int32(exactly: result) else { return .value(.int64(result)) }
            return .value(.int32(small))
        }
    }

    private static func integer(
        _ value: BSON, _ subject: @autoclosure () -> String
    ) throws -> (value: Int64, isLong: Bool) {
        switch value {
        case .int32(let number): return (Int64(number), false)
        case .int64(let number): return (number, true)
        default:
            throw MongoError.badValue("$bit takes integers. \(subject()) is of the type \(value.type.alias).")
        }
    }
}

extension BSON {
    /// Zero of the number's type.
    fileprivate var zero: BSON {
        switch self {
        case .int64: .int64(0)
        case .double: .double(0)
        case .decimal128: .decimal128(Decimal128(0))
        default: .int32(0)
        }
    }
}
