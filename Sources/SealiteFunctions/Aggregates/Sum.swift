/// An aggregate whose result is the sum of the numbers: integers are added exactly, doubles with compensation of
/// rounding errors. MISSING without numbers.
class Sum: Aggregate {
    private(set) var count: Int64 = 0
    private var integers: Int128 = 0
    private var doubleCount = 0
    private var doubles = 0.0
    /// The sum of the rounding errors of the additions to `doubles`, by which it is corrected.
    private var lost = 0.0
    /// The number of values that no finite double approximates.
    private var infiniteCount = 0

    override func add(_ value: QueryValue) { change(value, by: 1) }

    override func remove(_ value: QueryValue) { change(value, by: -1) }

    private func change(_ value: QueryValue, by step: Int) {
        switch value {
        case .integer(let integer): integers += Int128(integer) * Int128(step)
        case .double, .bigNumber:
            guard let number = value.number else { return }
            if number.isFinite { change(number, by: step) } else { infiniteCount += step }
        default: return
        }
        count += Int64(step)
    }

    private func change(_ number: Double, by step: Int) {
        doubleCount += step
        guard doubleCount > 0 else {
            (doubles, lost) = (0, 0)
            return
        }
        let term = number * Double(step)
        let sum = doubles + term
        lost += doubles.magnitude >= term.magnitude ? (doubles - sum) + term : (term - sum) + doubles
        doubles = sum
    }

    /// The sum as a double; infinite or NaN if it has no finite value.
    var total: Double {
        guard infiniteCount == 0 else { return .infinity }
        // The integers are added to each other first: a single one could be lost next to a large sum of doubles.
        return doubleCount == 0 ? Double(integers) : doubles + (Double(integers) + lost)
    }

    override func give(to call: QueryCall) {
        guard count > 0 else { return }
        if doubleCount == 0, infiniteCount == 0, let sum = Int64(exactly: integers) {
            call.give(sum)
        } else {
            call.give(total)
        }
    }
}
