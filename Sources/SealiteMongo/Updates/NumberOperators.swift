internal import SealiteValues

/// The update operators `$inc`, `$mul` and `$bit`.
enum NumberOperators {
    static let inc: UpdateParser.Reader = { path, operand, _ in
        guard operand.type.isNumber else {
            throw MongoError.typeMismatch("$inc of '\(path.text)' takes a number.")
        }
        return FieldOperation("$inc", missing: .makesValue) { value, _, path in
            guard let value else { return .value(operand) }
            return .value(try combined(value, operand, "$inc", path, \.sum))
        }
    }

    static let mul: UpdateParser.Reader = { path, operand, _ in
        guard operand.type.isNumber else {
            throw MongoError.typeMismatch("$mul of '\(path.text)' takes a number.")
        }
        return FieldOperation("$mul", missing: .makesValue) { value, _, path in
            guard let value else { return .value(operand.zero) }
            return .value(try combined(value, operand, "$mul", path, \.product))
        }
    }

    private static func combined(
        _ value: BSON, _ operand: BSON, _ name: String, _ path: String, _ result: KeyPath<NumberPair, BSON?>
    ) throws -> BSON {
        guard let pair = NumberPair(value, operand) else {
            throw MongoError.typeMismatch(
                "\(name) changes numbers, and '\(path)' is of the type \(value.type.alias)."
            )
        }
        guard let result = pair[keyPath: result] else {
            throw MongoError.badValue(
                "The result of \(name) for '\(path)' has more than 64 bits.")
        }
        return result
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
            guard let function = bitOperators[step.key] else {
                throw MongoError.badValue("$bit takes 'and', 'or' and 'xor', not '\(step.key)'.")
            }
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
            throw MongoError.badValue(
                "$bit takes integers. \(subject()) is of the type \(value.type.alias).")
        }
    }
}

/// Two numbers, converted to the wider of their types: 32-bit integers are widened to 64 bits, integers to doubles, and
/// all types to decimals.
private enum NumberPair {
    case int32(Int32, Int32)
    case int64(Int64, Int64)
    case double(Double, Double)
    case decimal(Decimal128, Decimal128)

    /// Creates a pair of two values; nil if one isn't a number.
    init?(_ left: BSON, _ right: BSON) {
        switch (left, right) {
        case (.int32(let left), .int32(let right)): self = .int32(left, right)
        case (.decimal128, _), (_, .decimal128):
            guard let left = left.decimalValue, let right = right.decimalValue else { return nil }
            self = .decimal(left, right)
        case (.double, _), (_, .double):
            guard let left = left.doubleValue, let right = right.doubleValue else { return nil }
            self = .double(left, right)
        default:
            guard left.type.isNumber, right.type.isNumber, let left = left.exactInt64, let right = right.exactInt64
            else { return nil }
            self = .int64(left, right)
        }
    }

    /// The sum of the two numbers; nil if they are integers and 64 bits can't represent it.
    var sum: BSON? {
        switch self {
        case .int32(let left, let right): BSON(Int64(left) + Int64(right))
        case .int64(let left, let right): Self.long(left.addingReportingOverflow(right))
        case .double(let left, let right): .double(left + right)
        case .decimal(let left, let right): .decimal128(left.adding(right))
        }
    }

    /// The product of the two numbers; nil if they are integers and 64 bits can't represent it.
    var product: BSON? {
        switch self {
        case .int32(let left, let right): BSON(Int64(left) * Int64(right))
        case .int64(let left, let right): Self.long(left.multipliedReportingOverflow(by: right))
        case .double(let left, let right): .double(left * right)
        case .decimal(let left, let right): .decimal128(left.multiplied(by: right))
        }
    }

    private static func long(_ result: (partialValue: Int64, overflow: Bool)) -> BSON? {
        guard !result.overflow else { return nil }
        return .int64(result.partialValue)
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

    fileprivate var doubleValue: Double? {
        switch self {
        case .int32(let number): Double(number)
        case .int64(let number): Double(number)
        case .double(let number): number
        case .decimal128(let number): number.doubleValue
        default: nil
        }
    }

    fileprivate var decimalValue: Decimal128? {
        switch self {
        case .int32(let number): Decimal128(number)
        case .int64(let number): Decimal128(number)
        case .double(let number): Decimal128(number)
        case .decimal128(let number): number
        default: nil
        }
    }
}
