internal import Glibc
internal import SealiteValues

extension ExpressionOperator {
    /// The accumulators as operators over their arguments, such as `$sum`; a single array argument supplies its items.
    static let accumulators: [ExpressionOperator] = [
        .init("$sum", 0...) { arguments in
            var sum = NumberSum()
            numbers(arguments).forEach { sum.add($0) }
            return sum.total.bson
        },
        .init("$avg", 0...) { arguments in
            var sum = NumberSum()
            numbers(arguments).forEach { sum.add($0) }
            return sum.mean(roundsIntegers: true)?.bson ?? .null
        },
        .init("$min", 0...) { values($0).min { $0.compared(to: $1) < 0 } ?? .null },
        .init("$max", 0...) { values($0).max { $0.compared(to: $1) < 0 } ?? .null },
        .init("$stdDevPop", 0...) { Deviation(numbers($0)).value(isSample: false) },
        .init("$stdDevSamp", 0...) { Deviation(numbers($0)).value(isSample: true) },
    ]

    private static func opened(_ arguments: OperatorArguments) -> [BSON?] {
        if arguments.count == 1, case .array(let items) = arguments[0] { items } else { Array(arguments) }
    }

    private static func numbers(_ arguments: OperatorArguments) -> [BSONNumber] {
        opened(arguments).compactMap { BSONNumber($0) }
    }

    private static func values(_ arguments: OperatorArguments) -> [BSON] {
        opened(arguments).compactMap { $0.isNullish ? nil : $0 }
    }
}

/// The standard deviation of numbers by Welford's method.
struct Deviation: Sendable {
    private(set) var count = 0
    private var mean = 0.0
    private var squares = 0.0

    init() {}

    init(_ numbers: [BSONNumber]) { numbers.forEach { add($0) } }

    /// Adds a number.
    mutating func add(_ number: BSONNumber) {
        count += 1
        let distance = number.double - mean
        mean += distance / Double(count)
        squares += distance * (number.double - mean)
    }

    /// Returns the standard deviation of the numbers as a whole population, or as a sample; null if no number was
    /// added, or for a sample fewer than two.
    func value(isSample: Bool) -> BSON {
        let divisor = isSample ? count - 1 : count
        return divisor > 0 ? .double((squares / Double(divisor)).squareRoot()) : .null
    }
}
