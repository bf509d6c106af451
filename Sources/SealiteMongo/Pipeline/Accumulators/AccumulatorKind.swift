internal import SealiteValues

/// The name of an accumulator, and the parser of its operand.
struct AccumulatorKind: Sendable {
    /// A function that parses the operand of an accumulator.
    typealias Make = @Sendable (_ operand: BSON, _ parser: ExpressionParser) throws -> AccumulatorSpecification

    let name: String
    /// A Boolean value that says whether the operand is a single expression, so that an array is refused in stages such
    /// as `$group`.
    let isUnary: Bool
    let make: Make

    init(_ name: String, isUnary: Bool = false, reading make: @escaping Make) {
        (self.name, self.isUnary, self.make) = (name, isUnary, make)
    }

    /// Creates a kind of accumulator whose operand is one expression. `make` returns a new, empty accumulator.
    init(_ name: String, isUnary: Bool = false, _ make: @escaping @Sendable () -> any Accumulator) {
        self.init(name, isUnary: isUnary) { operand, parser in
            var specification = AccumulatorSpecification(try parser.parse(operand)) { _ in make() }
            specification.isIndependent = true
            return specification
        }
    }

    /// All kinds of accumulators by their names, such as `$sum`.
    static let all: [String: AccumulatorKind] = {
        let groups = [numbers, orders, collections, several, sorted, percentiles]
        return Dictionary(groups.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}
