internal import SealiteValues

/// The bound of `$gt`, `$gte`, `$lt` or `$lte`: only values of the bound's own type are within it, except for a bound
/// of MinKey or MaxKey.
struct RangeBound: Sendable {
    /// The side of the bound on which values must be.
    enum Side: Sendable {
        case above
        case below
    }

    let side: Side
    /// A Boolean value that says whether a value that is equal to the bound is within it.
    let isInclusive: Bool
    let value: BSON
    private let kind: Kind

    private enum Kind: Sendable {
        /// A bound among values of the same type; all numeric types count as one.
        case bracketed
        /// Null: only equal values are within.
        case null
        /// NaN: only equal values are within.
        case notANumber
        /// The least or the greatest of all values, with which values of all types are compared.
        case extreme
    }

    init(_ side: Side, isInclusive: Bool, _ value: BSON) {
        (self.side, self.isInclusive, self.value) = (side, isInclusive, value)
        switch value {
        case .null, .undefined: kind = .null
        case .minKey, .maxKey: kind = .extreme
        default: kind = value.isNotANumber ? .notANumber : .bracketed
        }
    }

    /// A Boolean value that says whether a missing value is within the bound: it is for `$gte` and `$lte` of null, for
    /// `$gt` and `$gte` of MinKey, and for `$lt` and `$lte` of MaxKey.
    var holdsForMissing: Bool {
        switch kind {
        case .null: isInclusive
        case .extreme: isWithin(value == .minKey ? 1 : -1)
        default: false
        }
    }

    /// Returns a Boolean value that says whether a value is within the bound.
    @inline(__always)
    func holds<Node: FilterNode>(for node: Node, in bytes: borrowing Span<UInt8>) -> Bool {
        switch kind {
        case .bracketed: return node.order(amongEqualTypes: value, in: bytes).map(isWithin) ?? false
        case .null: return isInclusive && LeafTest.isEqual(node, to: .null, in: bytes)
        case .notANumber: return isInclusive && node.order(against: value, in: bytes) == 0
        case .extreme: return isWithin(node.order(against: value, in: bytes))
        }
    }

    private func isWithin(_ order: Int) -> Bool {
        order == 0 ? isInclusive : (order > 0) == (side == .above)
    }
}

extension BSON {
    /// A Boolean value that says whether the value is NaN, as a double or a decimal.
    var isNotANumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal128(let number): number.isNaN
        default: false
        }
    }
}

/// The operand of `$in` or `$nin`: values and regular expressions.
struct ValueList: Sendable {
    /// The values in ascending order, each once, without null and undefined.
    let values: [BSON]
    /// The regular expressions, which match strings.
    let patterns: [FilterPattern]
    /// A Boolean value that says whether the operand has null or undefined, so that missing values match.
    let hasNull: Bool

    init(_ values: [BSON], _ patterns: [FilterPattern]) {
        hasNull = values.contains { $0.isNullish }
        var sorted: [BSON] = []
        for value in values.filter({ !$0.isNullish }).sorted(by: { $0.compared(to: $1) < 0 })
        where sorted.last.map({ $0.compared(to: value) != 0 }) ?? true {
            sorted.append(value)
        }
        (self.values, self.patterns) = (sorted, patterns)
    }

    /// Returns a Boolean value that says whether a value is equal to one of the list, or matched by one of its
    /// patterns.
    func holds<Node: FilterNode>(for node: Node, in bytes: borrowing Span<UInt8>) throws(MongoError) -> Bool {
        if hasNull, LeafTest.isEqual(node, to: .null, in: bytes) { return true }
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            let order = node.order(against: values[middle], in: bytes)
            if order == 0 { return true }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        for pattern in patterns where try pattern.holds(for: node, in: bytes) { return true }
        return false
    }
}

/// The set of BSON types that the operand of `$type` names.
struct TypeSet: Sendable, Equatable {
    private var bits: UInt64 = 0

    /// Adds a type.
    mutating func insert(_ type: BSONType) { bits |= Self.bit(type) }

    /// Returns a Boolean value that says whether a type is in the set.
    func contains(_ type: BSONType) -> Bool { bits & Self.bit(type) != 0 }

    private static func bit(_ type: BSONType) -> UInt64 {
        switch type {
        case .minKey: 1 << 40
        case .maxKey: 1 << 41
        default: 1 << UInt64(type.rawValue)
        }
    }
}

/// The test of `$bitsAllSet`, `$bitsAnySet`, `$bitsAllClear` or `$bitsAnyClear`.
struct BitTest: Sendable {
    /// The quantifier over the bits at the positions: all of them, or at least one.
    enum Quantifier: Sendable {
        case all
        case any
    }

    let quantifier: Quantifier
    /// A Boolean value that says whether the bits at the positions must be set; otherwise they must be clear.
    let wantsSet: Bool
    /// The positions of the bits to test, 0 for the least significant one.
    let positions: [Int]

    /// The highest position of a bit that an operand may have.
    static let maximumPosition = Int(Int32.max)

    /// Returns a Boolean value that says whether a value is an integral number or binary data, and has the required
    /// bits.
    func holds<Node: FilterNode>(for node: Node, in bytes: borrowing Span<UInt8>) -> Bool {
        guard let type = node.type(in: bytes), type.isNumber || type == .binary, let bits = Bits(node.value(in: bytes))
        else { return false }
        switch quantifier {
        case .all: return positions.allSatisfy { bits[$0] == wantsSet }
        case .any: return positions.contains { bits[$0] == wantsSet }
        }
    }

    /// The bits of a value.
    private enum Bits {
        /// Two's complement, sign-extended without end.
        case number(Int64)
        /// Bit 0 is the least significant bit of the first byte; bits after the last byte are clear.
        case bytes([UInt8])

        init?(_ value: BSON) {
            switch value {
            case .int32(let number): self = .number(Int64(number))
            case .int64(let number): self = .number(number)
            case .double, .decimal128:
                guard let number = value.exactInt64 else { return nil }
                self = .number(number)
            // A value of the subtype 2 has its length before its bytes, which the server tests too.
            case .binary(let binary) where binary.subtype == 2:
                let length = (0..<4).map { UInt8(truncatingIfNeeded: binary.bytes.count >> ($0 * 8)) }
                self = .bytes(length + binary.bytes)
            case .binary(let binary): self = .bytes(binary.bytes)
            default: return nil
            }
        }

        subscript(position: Int) -> Bool {
            switch self {
            case .number(let number): number >> Int64(min(position, 63)) & 1 == 1
            case .bytes(let bytes): position / 8 < bytes.count && bytes[position / 8] >> UInt8(position % 8) & 1 == 1
            }
        }
    }
}
