internal import SealiteJSON
internal import SealiteValues

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
