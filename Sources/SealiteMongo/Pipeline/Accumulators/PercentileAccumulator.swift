internal import SealiteValues

/// The accumulator of `$median` and `$percentile`, which ignores values that aren't numbers.
final class PercentileAccumulator: Accumulator {
    private let fractions: [Double]
    private let isSeveral: Bool
    private var values: [Double] = []

    init(_ fractions: [Double], isSeveral: Bool) { (self.fractions, self.isSeveral) = (fractions, isSeveral) }

    /// Returns a function that evaluates the argument `p` of `$percentile`, an array of fractions from 0 to 1. A
    /// constant argument is checked at once.
    static func fractions(_ node: ExpressionNode) throws -> @Sendable (Evaluation) throws -> [Double] {
        if let constant = node.constant {
            let fractions = try checked(constant)
            return { _ in fractions }
        }
        return { try checked(node.value($0)) }
    }

    private static func checked(_ value: BSON?) throws -> [Double] {
        guard case .array(let items) = value, !items.isEmpty else {
            throw MongoError(code: 7750301, "$percentile takes a nonempty array of numbers from 0 to 1 as 'p'.")
        }
        return try items.map { item in
            guard let number = Number(item)?.double, (0...1).contains(number) else {
                throw MongoError(code: 7750303, "$percentile takes numbers from 0 to 1 in 'p'.")
            }
            return number
        }
    }

    func add(_ value: BSON?) -> Int {
        guard let number = Number(value), !number.isNaN else { return 0 }
        values.append(number.double)
        return 8
    }

    /// Adds the items of an array, or one value, and returns the result.
    func result(of value: BSON?) -> BSON {
        let items = if case .array(let items) = value { items } else { [value ?? .null] }
        for item in items { _ = add(item) }
        return result()
    }

    func result() -> BSON {
        guard isSeveral || !values.isEmpty else { return .null }
        let sorted = values.sorted()
        let results = fractions.map { fraction -> BSON in
            guard !sorted.isEmpty else { return .null }
            let rank = (fraction * Double(sorted.count)).rounded(.up)
            return .double(sorted[max(0, min(sorted.count - 1, Int(rank) - 1))])
        }
        return isSeveral ? .array(results) : results[0]
    }
}
