import Glibc

extension QueryFunction {
    /// The SQL functions on numbers, whose result is MISSING for MISSING, and NULL for other types and if it isn't a
    /// finite number; and `query_greatest` and `query_least`, which take values of all types.
    static let numbers: [QueryFunction] =
        [
            number("query_abs") { abs($0) }, number("query_ceil") { $0.rounded(.up) },
            number("query_floor") { $0.rounded(.down) },
            number("query_acos") { acos($0) }, number("query_asin") { asin($0) }, number("query_atan") { atan($0) },
            number("query_cos") { cos($0) }, number("query_sin") { sin($0) }, number("query_tan") { tan($0) },
            number("query_degrees") { $0 * 180 / Double.pi }, number("query_radians") { $0 * Double.pi / 180 },
            number("query_exp") { exp($0) }, number("query_ln") { log($0) }, number("query_log") { log10($0) },
            number("query_sqrt") { $0.squareRoot() },
            numbers("query_atan2") { atan2($0, $1) }, numbers("query_power") { pow($0, $1) },
            numbers("query_div") { $1 == 0 ? .nan : $0 / $1 },
            .init("query_e", 0) { $0.give(M_E) }, .init("query_pi", 0) { $0.give(Double.pi) },
            rounding("query_round", .toNearestOrAwayFromZero), rounding("query_round_even", .toNearestOrEven),
            rounding("query_trunc", .towardZero),
            .init("query_sign", 1) { call in
                guard let number = operand(call, 0) else { return }
                call.give(number > 0 ? 1 : number < 0 ? -1 : 0 as Int64)
            },
            .init("query_idiv", 2, wholeQuotient),
        ] + extremes

    private static let extremes: [QueryFunction] = [
        .init("query_greatest", 2...many) { call in extreme(call) { $0 > 0 } },
        .init("query_least", 2...many) { call in extreme(call) { $0 < 0 } },
    ]

    private static func number(_ name: StaticString, _ body: @escaping @Sendable (Double) -> Double) -> QueryFunction {
        .init(name, 1) { call in
            if let number = operand(call, 0) { call.give(body(number)) }
        }
    }

    private static func numbers(
        _ name: StaticString, _ body: @escaping @Sendable (Double, Double) -> Double
    ) -> QueryFunction {
        .init(name, 2) { call in
            guard !call.propagates(2) else { return }
            guard let a = call[0].number, let b = call[1].number else { return call.giveNull() }
            call.give(body(a, b))
        }
    }

    /// Returns the number argument with an index. If it isn't a number, sets the result to MISSING for MISSING,
    /// otherwise to NULL, and returns nil.
    private static func operand(_ call: QueryCall, _ index: Int) -> Double? {
        let value = call[index]
        if value.isMissing { return nil }
        guard let number = value.number else {
            call.giveNull()
            return nil
        }
        return number
    }

    /// Returns an SQL function that rounds by a rule to a number of decimal places, which may be negative.
    private static func rounding(_ name: StaticString, _ rule: FloatingPointRoundingRule) -> QueryFunction {
        .init(name, 1...2) { call in
            guard !call.propagates(2) else { return }
            guard let number = call[0].number, let places = call.optional(1).map(\.number) ?? 0, places.isFinite else {
                return call.giveNull()
            }
            call.give(round(number, trunc(min(max(places, -400), 400)), rule))
        }
    }

    private static func round(_ number: Double, _ places: Double, _ rule: FloatingPointRoundingRule) -> Double {
        guard places != 0 else { return number.rounded(rule) }
        let scale = pow(10, abs(places))
        guard places > 0 else { return scale.isFinite ? (number / scale).rounded(rule) * scale : 0 }
        let scaled = number * scale
        // There is nothing to round after the last digit of a double.
        return scaled.isFinite ? scaled.rounded(rule) / scale : number
    }

    /// The SQL function `query_idiv(a, b)`: the truncated quotient of the truncated arguments; NULL for a division by
    /// zero.
    private static func wholeQuotient(_ call: QueryCall) {
        guard !call.propagates(2) else { return }
        if case .integer(let a) = call[0], case .integer(let b) = call[1], b != 0 {
            let (quotient, overflows) = a.dividedReportingOverflow(by: b)
            if !overflows { return call.give(quotient) }
        }
        guard let a = call[0].number, let b = call[1].number, trunc(b) != 0 else { return call.giveNull() }
        let quotient = trunc(trunc(a) / trunc(b))
        if let whole = Int64(exactly: quotient) { call.give(whole) } else { call.give(quotient) }
    }

    /// Sets the result to the first or the last argument in the order of values; MISSING or NULL if an argument is
    /// that. `isBetter` says, from the comparison of an argument with the best one so far, whether it replaces it.
    private static func extreme(_ call: QueryCall, _ isBetter: (Int) -> Bool) {
        guard !call.propagates(call.count) else { return }
        var best = call[0]
        for index in 1..<call.count where isBetter(QueryComparison.compare(call[index], best)) { best = call[index] }
        call.give(best)
    }
}
