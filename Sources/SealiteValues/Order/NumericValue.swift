/// A number of any of BSON's numeric types, compared by its exact value.
package enum NumericValue {
    /// A 32-bit or 64-bit integer.
    case integer(Int64)
    /// A 64-bit binary floating-point number.
    case double(Double)
    /// A decimal128 number.
    case decimal(Decimal128)

    /// Creates the number of a value; nil if the value isn't a number.
    package init?(_ value: BSON) {
        switch value {
        case .int32(let number): self = .integer(Int64(number))
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .decimal128(let number): self = .decimal(number)
        default: return nil
        }
    }

    /// Returns a negative number, 0 or a positive number if this number comes before, is equal to or comes after
    /// another one; NaN comes first, and 0 is equal to -0.
    func compared(to other: NumericValue) -> Int {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)): Self.compare(left, right)
        case (.decimal(let left), .decimal(let right)): left.compared(to: right)
        case (.integer(let left), .double(let right)): Self.compare(left, right)
        case (.double(let left), .integer(let right)): -Self.compare(right, left)
        case (.integer(let left), .decimal(let right)): Decimal128(left).compared(to: right)
        case (.decimal(let left), .integer(let right)): left.compared(to: Decimal128(right))
        case (.double(let left), .decimal(let right)): -right.compared(to: left)
        case (.decimal(let left), .double(let right)): left.compared(to: right)
        }
    }

    private static func compare(_ left: Double, _ right: Double) -> Int {
        if left < right { return -1 }
        if left > right { return 1 }
        return left == right ? 0 : (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
    }

    private static func compare(_ left: Int64, _ right: Double) -> Int {
        guard right < 0x1p63 else { return right.isNaN ? 1 : -1 }
        guard right >= -0x1p63 else { return 1 }
        let whole = right.rounded(.towardZero)
        let integer = Int64(whole)
        guard left == integer else { return left < integer ? -1 : 1 }
        return compare(whole, right)
    }

    /// The canonical form of all numbers of equal value: an integer of 64 bits if possible, otherwise a double,
    /// otherwise a decimal.
    package var canonical: NumericValue {
        switch self {
        case .integer: return self
        case .double(let value): return Int64(exactly: value).map { .integer($0) } ?? self
        case .decimal(let value):
            if let integer = value.exactInt64 { return .integer(integer) }
            if let double = value.exactDouble { return .double(double) }
            return .decimal(value.withoutTrailingZeros)
        }
    }
}
