/// An aggregate whose result is the sum of the numbers: integers are added exactly, doubles with compensation of
/// rounding errors. MISSING without numbers.
class Sum: Aggregate {
    private(set) var count: Int64 = 0
    private var integers: Int128 = 0
    private var doubles = CompensatedSum()
    /// The sum of the doubles from `largeBound` on, divided by `largeScale`. A window can remove what made a sum exceed
    /// the finite doubles, and a sum that had become infinite once would stay so.
    private var largeDoubles = CompensatedSum()
    /// The number of values that no finite double approximates.
    private var infiniteCount = 0

    private static let largeBound = 0x1p900
    private static let largeScale = 0x1p200

    override func add(_ value: QueryValue) { change(value, by: 1) }

    override func remove(_ value: QueryValue) { change(value, by: -1) }

    private func change(_ value: QueryValue, by step: Int) {
        switch value {
        case .integer(let integer): integers += Int128(integer) * Int128(step)
        case .double, .bigNumber:
            guard let number = value.number else { return }
            if !number.isFinite {
                infiniteCount += step
            } else if number.magnitude < Self.largeBound {
                doubles.change(number, by: step)
            } else {
                largeDoubles.change(number / Self.largeScale, by: step)
            }
        default: return
        }
        count += Int64(step)
    }

    /// The sum as a double; infinite if it has no finite value.
    var total: Double {
        guard infiniteCount == 0 else { return .infinity }
        // The integers are added to each other first: a single one could be lost next to a large sum of doubles.
        let rest = doubles.sum + (Double(integers) + doubles.lost)
        // Large doubles can cancel each other out, and a small rest divided by the scale would become 0.
        guard largeDoubles.sum + largeDoubles.lost != 0 else { return rest }
        return (largeDoubles.sum + (rest / Self.largeScale + largeDoubles.lost)) * Self.largeScale
    }

    override func give(to call: QueryCall) throws {
        guard count > 0 else { return }
        if doubles.count == 0, largeDoubles.count == 0, infiniteCount == 0, let sum = Int64(exactly: integers) {
            call.give(sum)
        } else {
            call.give(total)
        }
    }
}

/// A sum of doubles that keeps the rounding errors of its additions (Kahan's algorithm as extended by Neumaier).
private struct CompensatedSum {
    /// The number of doubles in the sum.
    private(set) var count = 0
    private(set) var sum = 0.0
    /// The sum of the rounding errors of the additions to `sum`, by which it is to be corrected.
    private(set) var lost = 0.0

    /// Adds a double if `step` is 1, and removes one that was added if `step` is -1.
    mutating func change(_ number: Double, by step: Int) {
        count += step
        guard count > 0 else {
            (sum, lost) = (0, 0)
            return
        }
        let term = number * Double(step)
        let changed = sum + term
        lost += sum.magnitude >= term.magnitude ? (sum - changed) + term : (term - changed) + sum
        sum = changed
    }
}
