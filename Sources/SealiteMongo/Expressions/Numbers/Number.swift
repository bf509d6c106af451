internal import SealiteValues

/// A number of one of BSON's four numeric types: int, long, double or decimal.
enum BSONNumber: Sendable {
    case int32(Int32)
    case int64(Int64)
    case double(Double)
    case decimal(Decimal128)

    /// Creates the number of a value; nil if the value isn't a number or is missing.
    init?(_ value: BSON?) {
        switch value {
        case .int32(let value): self = .int32(value)
        case .int64(let value): self = .int64(value)
        case .double(let value): self = .double(value)
        case .decimal128(let value): self = .decimal(value)
        default: return nil
        }
    }

    /// The number as a BSON value of its type.
    var bson: BSON {
        switch self {
        case .int32(let value): .int32(value)
        case .int64(let value): .int64(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal128(value)
        }
    }

    /// The double nearest to the number.
    var double: Double {
        switch self {
        case .int32(let value): Double(value)
        case .int64(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.doubleValue
        }
    }

    /// The number as a decimal; a double is rounded to 15 digits.
    var decimal: Decimal128 {
        switch self {
        case .int32(let value): Decimal128(Int64(value))
        case .int64(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        }
    }

    /// The number as an integer if it is an int or a long; nil if it is a double or a decimal.
    var integer: Int64? {
        switch self {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        case .double, .decimal: nil
        }
    }

    var isDecimal: Bool { if case .decimal = self { true } else { false } }
    var isDouble: Bool { if case .double = self { true } else { false } }
    var isInt64: Bool { if case .int64 = self { true } else { false } }

    var isNaN: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        case .int32, .int64: false
        }
    }

    var isFinite: Bool {
        switch self {
        case .double(let value): value.isFinite
        case .decimal(let value): value.isFinite
        case .int32, .int64: true
        }
    }

    var isZero: Bool {
        switch self {
        case .int32(let value): value == 0
        case .int64(let value): value == 0
        case .double(let value): value == 0
        case .decimal(let value): value.isZero
        }
    }

    /// A Boolean value that says whether the number is less than zero.
    var isNegative: Bool {
        switch self {
        case .int32(let value): value < 0
        case .int64(let value): value < 0
        case .double(let value): value < 0
        case .decimal(let value): value.isNegative && !value.isZero && !value.isNaN
        }
    }

    /// The number as an integer of 64 bits; nil if it has a fraction or doesn't fit.
    var exactInteger: Int64? {
        switch self {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        case .double(let value): Int64(exactly: value)
        case .decimal(let value): Int64(exactly: value)
        }
    }

    /// The number without its fraction as an integer of 64 bits; nil if it isn't finite or doesn't fit.
    var truncated: Int64? {
        switch self {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero))
        case .decimal(let value): value.truncatedInt64
        }
    }

    /// Creates an int or a long, whichever is the narrowest type that can represent the value; always a long if
    /// `isWide`.
    init(_ value: Int64, isWide: Bool) {
        self = if !isWide, let narrow = Int32(exactly: value) { .int32(narrow) } else { .int64(value) }
    }
}

extension BSON {
    /// The number without its fraction as an integer of 64 bits; nil for NaN, infinity, numbers out of range, and
    /// values that aren't numbers.
    var truncatedInt64: Int64? { BSONNumber(self)?.truncated }
    /// The number as an integer of 64 bits; nil if it has a fraction or doesn't fit, and for values that aren't
    /// numbers.
    var exactInt64: Int64? { BSONNumber(self)?.exactInteger }
}

extension BSON? {
    /// A Boolean value that says whether the value is null, undefined or missing.
    var isNullish: Bool {
        switch self {
        case nil, .null, .undefined: true
        default: false
        }
    }

    /// The name of the value's BSON type, such as `string`; `missing` if there is no value.
    var typeName: String { self?.type.alias ?? "missing" }

    /// The value as a Boolean: false, zeros, null, undefined and missing values are false, and all others true.
    var isTrue: Bool {
        switch self {
        case nil, .null, .undefined: false
        case .bool(let value): value
        default: BSONNumber(self).map { !$0.isZero } ?? true
        }
    }

    /// The value as an integer of 32 bits; nil if it isn't a number, has a fraction or doesn't fit.
    var exactInt32: Int? { BSONNumber(self)?.exactInteger.flatMap { Int32(exactly: $0) }.map { Int($0) } }
}

/// A sum of numbers of any type, in the widest type among them.
///
/// Integers are added exactly, doubles with compensation of the rounding errors.
struct NumberSum: Sendable {
    private var integers: Int128 = 0
    private var doubles = 0.0
    private var lost = 0.0
    /// The difference that the sum of the integers gains if each is rounded to a double.
    private var rounding: Int128 = 0
    private var decimals: Decimal128?
    private var hasDouble = false
    private var hasInt64 = false
    /// The number of summands.
    private(set) var count = 0

    /// Adds a number.
    mutating func add(_ number: BSONNumber) {
        count += 1
        switch number {
        case .int32(let value): integers &+= Int128(value)
        case .int64(let value):
            integers &+= Int128(value)
            hasInt64 = true
            if value.magnitude > 1 << 53 { rounding += Int128(Double(value)) - Int128(value) }
        case .double(let value):
            hasDouble = true
            addDouble(value)
        case .decimal(let value):
            decimals = (decimals ?? 0).adding(value)
        }
    }

    /// Adds a number `times` times.
    mutating func add(_ number: BSONNumber, times: Int) {
        guard let integer = number.integer else {
            for _ in 0..<times { add(number) }
            return
        }
        count += times
        integers &+= Int128(integer) &* Int128(times)
        if case .int64 = number { hasInt64 = true }
        if integer.magnitude > 1 << 53 { rounding += (Int128(Double(integer)) - Int128(integer)) &* Int128(times) }
    }

    private mutating func addDouble(_ value: Double) {
        let sum = doubles + value
        if sum.isFinite {
            lost += abs(doubles) >= abs(value) ? doubles - sum + value : value - sum + doubles
        } else {
            lost = 0
        }
        doubles = sum
    }

    /// Returns the sum of the numbers that aren't decimals, as a double; `integers` is the sum of the integers.
    private func double(_ integers: Int128) -> Double {
        guard doubles.isFinite else { return doubles }
        let high = Double(integers)
        let sum = doubles + high
        guard sum.isFinite else { return sum }
        let rest = abs(doubles) >= abs(high) ? doubles - sum + high : high - sum + doubles
        return sum + (rest + lost + Double(integers - Int128(high)))
    }

    /// The sum: an integer if all numbers were integers and 64 bits can represent it, otherwise a double, or a decimal
    /// if a number was one.
    var total: BSONNumber {
        if let decimals { return .decimal(decimals.adding(wholeAsDecimal)) }
        if !hasDouble, let sum = Int64(exactly: integers) { return BSONNumber(sum, isWide: hasInt64) }
        return .double(double(integers))
    }

    private var wholeAsDecimal: Decimal128 {
        let integers = Decimal128(integers)
        guard hasDouble else { return integers }
        guard doubles.isFinite else { return Decimal128(doubles) }
        return Decimal128(nearest: doubles).adding(Decimal128(nearest: lost)).adding(integers)
    }

    /// Returns the mean as a double, or as a decimal if a number was one; nil if there was no number. If `roundsIntegers`
    /// is true, each integer counts as the nearest double, as in the expression `$avg`; the accumulator adds them exactly.
    func mean(roundsIntegers: Bool) -> BSONNumber? {
        guard count > 0 else { return nil }
        if decimals != nil { return .decimal(total.decimal.divided(by: Decimal128(Int64(count)))) }
        return .double(double(roundsIntegers ? integers + rounding : integers) / Double(count))
    }
}

/// Returns a number; throws as `requireString` does.
@discardableResult
func requireNumber(
    _ value: BSON?, _ code: Int, _ beginning: @autoclosure () -> String
) throws(MongoError) -> BSONNumber {
    try require(BSONNumber(value), code, "\(beginning()), not \(value.typeName).")
}
