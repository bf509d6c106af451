internal import SealiteJSON
internal import SealiteValues

/// A test of one of the values at a path.
enum LeafTest: Sendable {
    /// The value is equal to a constant in the order of values of all types; a missing value is also equal to null.
    case equal(BSON)
    /// The value is on one side of a bound, as for `$gt` and `$lte`.
    case range(RangeBound)
    /// The value is equal to a value of a list, or matched by a pattern of the list.
    case among(ValueList)
    /// The value is present.
    case exists
    /// The value is of one of several types.
    case types(TypeSet)
    /// The value is a number whose integer part, divided by `divisor`, has the given remainder.
    case modulus(divisor: Int64, remainder: Int64)
    /// The value is a string in which a pattern matches, or the same regular expression.
    case pattern(FilterPattern)
    /// The value is a number or binary data, with some bits set or clear.
    case bits(BitTest)
    /// The value is an array with the given number of items.
    case size(Int)
    /// The value is an array with an item that fulfils conditions.
    case elements(ElementTest)
    /// The value is a geometry that a shape contains or meets, or that is near enough.
    case shape(ShapeTest)
}

extension LeafTest {
    /// The result of `passes(_:in:)` for a value outside of arrays that passes the test.
    static let nowhere = -1

    /// Returns the index in an array at which a leaf, a value at the end of a path, passes the test, or `nowhere` for a
    /// leaf outside of arrays; nil if the leaf doesn't pass.
    @inline(__always)
    func passes<Node: FilterNode>(_ leaf: PathLeaf<Node>, in bytes: borrowing Span<UInt8>) throws -> Int? {
        switch self {
        case .elements(let test):
            guard leaf.isWholeArray, let array = leaf.node else { return nil }
            return try FilterMatcher.firstItem(of: array, passing: test, in: bytes).map { leaf.index ?? $0 }
        case .shape(let test):
            guard let node = leaf.node, try test.holds(for: node, in: bytes) else { return nil }
            return (leaf.isPlace ? nil : leaf.index) ?? Self.nowhere
        default: break
        }
        // An index at the end of a path names the item, so that nothing is found for `$`.
        return try holds(for: leaf, in: bytes) ? (leaf.isPlace ? nil : leaf.index) ?? Self.nowhere : nil
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
        case .elements, .shape: return false
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
    static func isEqual<Node: FilterNode>(_ node: Node, to constant: BSON, in bytes: borrowing Span<UInt8>) -> Bool {
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

/// A fast path for conditions on a string or an integer: it compares a stored string or integer, which the path reaches
/// through objects only, without the order of all types. It decides most conditions for most documents; the full test
/// (`LeafTest`) decides the others.
struct DirectTest: Sendable {
    private enum Choice: Sendable {
        /// A range of integers.
        case integers(ClosedRange<Int64>)
        /// One string, as UTF-8.
        case string([UInt8])
    }

    private let choice: Choice

    /// The maximum number of digits with which every integer fits into 64 bits.
    private static let maximumDigitCount = 18

    /// Creates a direct test for a path and a test; nil if it can't replace the test.
    init?(_ path: FilterPath, _ test: LeafTest) {
        // Names that begin with a dollar sign may belong to a value of another type that is stored as an object.
        guard !path.isID, path.count > 0, path.bytes.allSatisfy({ $0.first != UInt8(ascii: "$") }) else { return nil }
        switch test {
        case .equal(.string(let text)): choice = .string(Array(text.utf8))
        case .equal(let value):
            guard let integer = value.typedInteger else { return nil }
            choice = .integers(integer...integer)
        case .range(let bound):
            guard let integer = bound.value.typedInteger, let range = Self.range(bound, integer) else { return nil }
            choice = .integers(range)
        default: return nil
        }
    }

    /// Returns the integers on the bound's side of `integer`, the bound's value; nil if there are none.
    private static func range(_ bound: RangeBound, _ integer: Int64) -> ClosedRange<Int64>? {
        switch (bound.side, bound.isInclusive) {
        case (.above, true): integer...Int64.max
        case (.below, true): Int64.min...integer
        case (.above, false): integer == .max ? nil : integer + 1...Int64.max
        case (.below, false): integer == .min ? nil : Int64.min...integer - 1
        }
    }

    /// Returns a Boolean value that says whether the value at a path below `root` passes the test; nil if the full test
    /// must decide.
    @inline(__always)
    func decision(_ path: FilterPath, _ root: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool? {
        var element = root
        for index in 0..<path.count {
            let name = path.bytes[index]
            guard let member = element.member(name.span, in: bytes) else { return nil }
            element = member
        }
        switch choice {
        case .integers(let range):
            guard element.type == JSONBType.integer else { return nil }
            return Self.integer(element, in: bytes).map(range.contains)
        case .string(let text):
            guard element.isString else { return nil }
            return element.end - element.start == text.count && element.hasPayload(text.span, in: bytes)
        }
    }

    /// Returns the integer whose digits are an element's bytes; nil if there are too many digits, or other characters.
    @inline(__always)
    private static func integer(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) -> Int64? {
        var index = element.start
        let isNegative = index < element.end && bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        guard index < element.end, element.end - index <= maximumDigitCount else { return nil }
        var value: Int64 = 0
        while index < element.end {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        return isNegative ? -value : value
    }
}

extension BSON {
    /// The integer, if the value's type is an integer type; otherwise nil.
    fileprivate var typedInteger: Int64? {
        switch self {
        case .int32(let number): Int64(number)
        case .int64(let number): number
        default: nil
        }
    }
}

// A value of a stored body, read without a copy.
extension JSONBElement: FilterNode {
    func type(in bytes: borrowing Span<UInt8>) -> BSONType? { StoredValue(self, in: bytes).type }

    func order(against constant: BSON, in bytes: borrowing Span<UInt8>) -> Int {
        StoredValue.compare(self, in: bytes, to: constant)
    }

    func order(amongEqualTypes constant: BSON, in bytes: borrowing Span<UInt8>) -> Int? {
        StoredValue.compare(self, in: bytes, toEqualType: constant)
    }

    func value(in bytes: borrowing Span<UInt8>) -> BSON { BSON(stored: self, in: bytes) ?? .undefined }

    @inline(__always)
    func isDirectly(fulfilling condition: PathCondition, in bytes: borrowing Span<UInt8>) -> Bool? {
        condition.direct.flatMap { $0.decision(condition.path, self, in: bytes) }
    }

    func row(id: BSON?, in bytes: borrowing Span<UInt8>) -> Row {
        guard let id else { return value(in: bytes).row(id: nil, in: bytes) }
        return Row(body: (0..<bytes.count).map { bytes[$0] }, id: id)
    }
}
