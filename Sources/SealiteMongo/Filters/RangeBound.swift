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
