internal import SealiteValues

extension LeafTest {
    /// The result of `passes(_:in:)` for a value outside of arrays that passes the test.
    static let nowhere = -1

    /// Returns the index in an array at which a leaf, a value at the end of a path, passes the test, or `nowhere` for a
    /// leaf outside of arrays; nil if the leaf doesn't pass.
    @inline(__always)
    func passes<Node: FilterNode>(
        _ leaf: PathLeaf<Node>, in bytes: borrowing Span<UInt8>
    ) throws -> Int? {
        if case .elements(let test) = self {
            guard leaf.isWholeArray, let array = leaf.node else { return nil }
            return try FilterMatcher.firstItem(of: array, passing: test, in: bytes).map { leaf.index ?? $0 }
        }
        return try holds(for: leaf, in: bytes) ? leaf.index ?? Self.nowhere : nil
    }

    private func holds<Node: FilterNode>(
        for leaf: PathLeaf<Node>, in bytes: borrowing Span<UInt8>
    ) throws(MongoError) -> Bool {
        guard let node = leaf.node else { return holdsForMissing }
        switch self {
        case .equal(let constant): return Self.isEqual(node, to: constant, in: bytes)
        case .range(let bound): return bound.holds(for: node, in: bytes)
        case .among(let list): return try list.holds(for: node, in: bytes)
        case .exists: return true
        case .types(let types): return node.type(in: bytes).map(types.contains) ?? false
        case .modulus(let divisor, let remainder):
            guard node.type(in: bytes)?.isNumber ?? false, let value = node.value(in: bytes).truncatedInt64 else {
                return false
            }
            return value.remainder(dividedBy: divisor) == remainder
        case .pattern(let pattern): return try pattern.holds(for: node, in: bytes)
        case .bits(let test): return test.holds(for: node, in: bytes)
        case .size(let count):
            return leaf.isWholeArray && node.itemCount(upTo: count + 1, in: bytes) == count
        case .elements: return false
        }
    }

    /// A Boolean value that says whether the test holds for a missing value.
    private var holdsForMissing: Bool {
        switch self {
        case .equal(let constant): constant.isNullish
        case .range(let bound): bound.holdsForMissing
        case .among(let list): list.hasNull
        default: false
        }
    }

    /// Returns a Boolean value that says whether a value is equal to a constant in the order of values of all types;
    /// undefined is equal to null.
    static func isEqual<Node: FilterNode>(
        _ node: Node, to constant: BSON, in bytes: borrowing Span<UInt8>
    ) -> Bool {
        if constant.isNullish {
            let type = node.type(in: bytes)
            return type == .null || type == .undefined
        }
        return node.order(against: constant, in: bytes) == 0
    }
}

extension BSON {
    /// A Boolean value that says whether the value is null or undefined, which filters treat as equal.
    var isNullish: Bool {
        switch self {
        case .null, .undefined: true
        default: false
        }
    }
}

extension Int64 {
    /// Returns the remainder of the division by a number other than 0, with the dividend's sign.
    func remainder(dividedBy divisor: Int64) -> Int64 { divisor == -1 ? 0 : self % divisor }
}
