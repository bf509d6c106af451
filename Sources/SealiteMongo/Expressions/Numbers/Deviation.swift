internal import Glibc
internal import SealiteValues

/// The standard deviation of numbers by Welford's method.
struct Deviation: Sendable {
    private var count = 0
    private var mean = 0.0
    private var squares = 0.0

    init() {}

    init(_ numbers: [Number]) { numbers.forEach { add($0) } }

    /// Adds a number.
    mutating func add(_ number: Number) {
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
