import Glibc

/// The arithmetic operators of queries: results for integers are integers as long as 64 bits can represent them.
enum QueryArithmetic {
    case add, subtract, multiply, divide, remainder

    /// Sets the result of the operator for two operands, the call's arguments: MISSING if one is MISSING and for a
    /// division by zero, NULL if one isn't a number.
    func answer(_ call: QueryCall) {
        let (left, right) = (call[0], call[1])
        if left.isMissing || right.isMissing { return }
        if case .integer(let a) = left, case .integer(let b) = right {
            if self == .divide || self == .remainder, b == 0 { return }
            let (value, overflows) = result(a, b)
            return overflows ? call.give(result(Double(a), Double(b))) : call.give(value)
        }
        guard let a = left.number, let b = right.number else { return call.giveNull() }
        if self == .divide && b == 0 || self == .remainder && trunc(b) == 0 { return }
        call.give(self == .remainder ? remainder(left, right) : result(a, b))
    }

    /// Returns the remainder of the integer parts of two numbers, of which the second isn't 0. It is never -0.0.
    private func remainder(_ left: FunctionValue, _ right: FunctionValue) -> Double {
        // Integers above 2^53 aren't converted to doubles, which would round them.
        if let a = Self.integerPart(left), let b = Self.integerPart(right) { return Double(result(a, b).0) }
        return result(left.number ?? 0, right.number ?? 1) + 0
    }

    /// Returns the integer part of a number; nil if 64 bits can't represent it.
    private static func integerPart(_ value: FunctionValue) -> Int64? {
        if case .integer(let exact) = value { return exact }
        return value.number.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    /// Sets the result of the operator for two or more operands, the call's arguments, from left to right: one call for
    /// a whole chain, since SQLite limits the nesting depth of calls.
    func fold(_ call: QueryCall) {
        if call.count == 2 { return answer(call) }
        let operands = (0..<call.count).map { call[$0] }
        if operands.contains(where: \.isMissing) { return }
        var (integer, double): (Int64?, Double) = (nil, 0)
        for (index, operand) in operands.enumerated() {
            guard let number = operand.number else { return call.giveNull() }
            let exact: Int64? = if case .integer(let value) = operand { value } else { nil }
            if index == 0 {
                (integer, double) = (exact, number)
            } else if let left = integer, let exact, case let (value, overflows) = result(left, exact), !overflows {
                (integer, double) = (value, Double(value))
            } else {
                (integer, double) = (nil, result(double, number))
            }
        }
        if let integer { call.give(integer) } else { call.give(double) }
    }

    private func result(_ left: Int64, _ right: Int64) -> (Int64, Bool) {
        switch self {
        case .add: left.addingReportingOverflow(right)
        case .subtract: left.subtractingReportingOverflow(right)
        case .multiply: left.multipliedReportingOverflow(by: right)
        case .divide: left.dividedReportingOverflow(by: right)
        // The remainder of the least integer by -1 is 0, for which the operation reports an overflow.
        case .remainder: right == -1 ? (0, false) : left.remainderReportingOverflow(dividingBy: right)
        }
    }

    private func result(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .remainder: fmod(trunc(left), trunc(right))
        }
    }
}

extension QueryFunction {
    /// The SQL functions that compute the arithmetic operators.
    static let arithmetic: [QueryFunction] = [
        .init("query_add", 2...many) { QueryArithmetic.add.fold($0) },
        .init("query_subtract", 2) { QueryArithmetic.subtract.answer($0) },
        .init("query_multiply", 2...many) { QueryArithmetic.multiply.fold($0) },
        .init("query_divide", 2) { QueryArithmetic.divide.answer($0) },
        .init("query_remainder", 2) { QueryArithmetic.remainder.answer($0) },
        .init("query_negate", 1) { call in
            switch call[0] {
            case .missing: break
            case .integer(let value) where value != Int64.min: call.give(-value)
            case let value:
                guard let number = value.number else { return call.giveNull() }
                call.give(-number)
            }
        },
    ]
}
