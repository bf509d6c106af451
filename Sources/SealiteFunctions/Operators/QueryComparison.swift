import CSQLite
import Glibc
import SealiteJSON

/// The order of values of queries (Documentation/QueryFunctions.md §2), equal to `ValueOrder.queries`.
enum QueryComparison {
    /// Compares two values in the order of values of queries, in which MISSING comes first.
    ///
    /// - Returns: a negative number, 0 or a positive number if the left value comes before, is equal to or comes after
    ///   the right one.
    @inline(__always)
    static func compare(_ left: FunctionValue, _ right: FunctionValue, _ collation: TextCollation = .binary) -> Int {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.string(let a), .string(let b)): compare(a, b, collation)
        default: compareOthers(left, right)
        }
    }

    /// Returns whether two values are equal under a collation of strings; MISSING equals itself.
    @inline(__always)
    static func areEqual(_ left: FunctionValue, _ right: FunctionValue, _ collation: TextCollation = .binary) -> Bool {
        if case .string(let a) = left, case .string(let b) = right, collation.isBinary, a.count != b.count {
            return false
        }
        return compare(left, right, collation) == 0
    }

    /// Compares two strings under a collation; the result is negative, 0 or positive.
    @inline(__always)
    static func compare(_ left: QueryBytes, _ right: QueryBytes, _ collation: TextCollation) -> Int {
        guard collation.isBinary else { return unsafe collation.compare(left.payload.span, right.payload.span) }
        let count = min(left.count, right.count)
        if count > 0, let a = unsafe left.payload.baseAddress, let b = unsafe right.payload.baseAddress {
            let order = unsafe memcmp(a, b, count)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }

    private static func rank(_ value: FunctionValue) -> Int {
        switch value {
        case .missing: 0
        case .null: 1
        case .boolean(let isTrue): isTrue ? 3 : 2
        case .integer, .double, .bigNumber: 4
        case .string: 5
        case .array: 6
        case .object: 7
        }
    }

    private static func compareOthers(_ left: FunctionValue, _ right: FunctionValue) -> Int {
        let (leftRank, rightRank) = (rank(left), rank(right))
        guard leftRank == rightRank else { return leftRank - rightRank }
        switch (left, right) {
        case (.missing, _), (.null, _), (.boolean, _): return 0
        case (.integer(let a), .double(let b)):
            if let order = compare(a, b) { return order }
        case (.double(let a), .integer(let b)):
            if let order = compare(b, a) { return -order }
        default: break
        }
        return unsafe left.withElement { leftElement, leftBytes in
            unsafe right.withElement { rightElement, rightBytes in
                unsafe ValueOrder.queries.compare(
                    leftElement, in: leftBytes.span, rightElement, in: rightBytes.span)
            }
        }
    }

    /// Compares an integer with a double, with a result that is -1, 0 or 1; nil for an integer of a magnitude that
    /// doubles can't represent exactly. In this range a double that is equal to an integer has the same value as the
    /// double's shortest text.
    private static func compare(_ left: Int64, _ right: Double) -> Int? {
        guard left.magnitude <= 1 << 53 else { return nil }
        let exact = Double(left)
        return exact < right ? -1 : exact > right ? 1 : 0
    }
}

extension QueryFunction {
    /// The SQL functions that compare values.
    static let comparisons: [QueryFunction] = [
        .init("query_equal", 2...3) { call in
            try compare(call) { a, b, collation in QueryComparison.areEqual(a, b, collation) }
        },
        .init("query_is", 2...3) { call in
            guard let collation = call.collation(2) else { return }
            try call.chargeComparison(call[0], call[1])
            call.give(QueryComparison.areEqual(call[0], call[1], collation))
        },
        .init("query_less", 2...3) { call in
            try compare(call, hasNull: true) { a, b, collation in QueryComparison.compare(a, b, collation) < 0 }
        },
        .init("query_less_equal", 2...3) { call in
            try compare(call, hasNull: true) { a, b, collation in QueryComparison.compare(a, b, collation) <= 0 }
        },
        .init("query_test", 3...many) { call in
            switch try test(call) {
            case .holds(let holds): call.give(holds)
            case .null: call.giveNull()
            case .missing: break
            }
        },
        .init("query_if", 3...many) { call in
            switch try test(call) {
            case .holds(let holds): call.give(holds ? 1 : Int64(0))
            case .null: call.give(Int64(0))
            case .missing: break
            }
        },
        .init("query_contains_path", 2...many, containsAtPath),
    ]

    /// Sets the result of a comparison of two values: MISSING if one is MISSING, and NULL if one is NULL and `hasNull`
    /// is true.
    @inline(__always)
    private static func compare(
        _ call: QueryCall, hasNull: Bool = false, _ test: (FunctionValue, FunctionValue, TextCollation) -> Bool
    ) throws {
        let (left, right) = (call[0], call[1])
        if left.isMissing || right.isMissing { return }
        try call.chargeComparison(left, right)
        guard let collation = call.collation(2) else { return }
        if hasNull, left.isNull || right.isNull { return call.giveNull() }
        call.give(test(left, right, collation))
    }

    /// The result of a comparison: true, false, NULL or MISSING.
    private enum Outcome {
        case holds(Bool), null, missing
    }

    /// Compares a value with the second argument, by the operator that the first argument names. The value is in the
    /// body that is the third argument, at the path in the arguments after it.
    @inline(__always)
    private static func test(_ call: QueryCall) throws -> Outcome {
        let value = try call.value(inBody: 2)
        if value.isMissing { return .missing }
        let constant = call[1]
        if constant.isMissing { return .missing }
        try call.chargeComparison(value, constant)
        guard case .string(let name) = call[0] else { return .null }
        let (first, second) = unsafe (name.count > 0 ? name.payload[0] : 0, name.count > 1 ? name.payload[1] : 0)
        if first == 0x3D { return .holds(QueryComparison.areEqual(value, constant)) }
        if first == 0x21 { return .holds(!QueryComparison.areEqual(value, constant)) }
        if value.isNull || constant.isNull { return .null }
        let order = QueryComparison.compare(value, constant)
        let isEqualTaken = second == 0x3D
        switch first {
        case 0x3C: return .holds(isEqualTaken ? order <= 0 : order < 0)
        case 0x3E: return .holds(isEqualTaken ? order >= 0 : order > 0)
        default: return .null
        }
    }

    /// The SQL function `query_contains_path(constant, body, step, …)`: whether the array or the object in a body at a
    /// path contains a value.
    private static func containsAtPath(_ call: QueryCall) throws {
        let container = try call.value(inBody: 1)
        call.give(try container.contains(call[0], call))
    }
}

extension QueryCall {
    /// Charges a comparison of two values.
    @inline(__always)
    func chargeComparison(_ left: FunctionValue, _ right: FunctionValue) throws(CallFailure) {
        try charge(bytes: min(left.byteCount, right.byteCount))
    }
}

extension FunctionValue {
    /// The number of bytes of a value that has its own: a string, an array, an object or a number that is kept as text;
    /// 0 for other values.
    @inline(__always)
    var byteCount: Int {
        switch self {
        case .string(let content), .array(let content), .object(let content), .bigNumber(let content): content.count
        default: 0
        }
    }

    /// Returns whether a value is among the items of this array or the values of this object. The comparisons are
    /// charged to a call.
    func contains(_ value: FunctionValue, _ call: QueryCall) throws(CallFailure) -> Bool {
        if value.isMissing { return false }
        // A comparison with a value of less than 64 bytes is one unit, whatever the element is.
        let isShort = value.byteCount < 64
        var elements = QueryElements(of: self)
        var uncharged = 0
        while let element = elements.next() {
            uncharged &+= isShort ? 1 : WorkCounter.units(ofBytes: min(element.value.byteCount, value.byteCount))
            if uncharged > 1 << 10 {
                try call.charge(uncharged)
                uncharged = 0
            }
            if QueryComparison.areEqual(element.value, value) {
                try call.charge(uncharged)
                return true
            }
        }
        try call.charge(uncharged)
        return false
    }
}
