internal import SealiteValues

/// A sum of numbers of any type, in the widest type among them.
///
/// Integers are added exactly, doubles with compensation of the rounding errors.
struct NumberSum: Sendable {
    private var integers: Int128 = 0
    private var doubles = 0.0
    private var lost = 0.0
    private var decimals: Decimal128?
    private var hasDouble = false
    private var hasInt64 = false
    /// The number of summands.
    private(set) var count = 0

    /// Adds a number.
    mutating func add(_ number: Number) {
        count += 1
        switch number {
        case .int32(let value): integers &+= Int128(value)
        case .int64(let value):
            integers &+= Int128(value)
            hasInt64 = true
        case .double(let value):
            hasDouble = true
            addDouble(value)
        case .decimal(let value): decimals = decimals?.adding(value) ?? value
        }
    }

    /// Adds a number `times` times.
    mutating func add(_ number: Number, times: Int) {
        guard let integer = number.integer else {
            for _ in 0..<times { add(number) }
            return
        }
        count += times
        integers &+= Int128(integer) &* Int128(times)
        if case .int64 = number { hasInt64 = true }
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

    /// The sum of the numbers that aren't decimals, as a double.
    private var double: Double {
        guard doubles.isFinite else { return doubles }
        let high = Double(integers)
        let sum = doubles + high
        guard sum.isFinite else { return sum }
        let rest = abs(doubles) >= abs(high) ? doubles - sum + high : high - sum + doubles
        return sum + (rest + lost + Double(integers - Int128(high)))
    }

    /// The sum: an integer if all numbers were integers and 64 bits can represent it, otherwise a double, or a decimal
    /// if a number was one.
    var total: Number {
        if let decimals { return .decimal(decimals.adding(wholeAsDecimal)) }
        if !hasDouble, let sum = Int64(exactly: integers) { return Number(sum, isWide: hasInt64) }
        return .double(double)
    }

    private var wholeAsDecimal: Decimal128 {
        if !hasDouble, let sum = Int64(exactly: integers) { return Decimal128(sum) }
        guard lost != 0 || integers != 0 else { return Decimal128(doubles) }
        let integers = Int64(exactly: integers).map { Decimal128($0) } ?? Decimal128(Double(integers))
        return doubles.isFinite ? Decimal128(doubles + lost).adding(integers) : Decimal128(doubles)
    }

    /// The mean as a double, or as a decimal if a number was one; nil if there was no number.
    var mean: Number? {
        guard count > 0 else { return nil }
        if decimals != nil { return .decimal(total.decimal.divided(by: Decimal128(Int64(count)))) }
        return .double(double / Double(count))
    }
}
