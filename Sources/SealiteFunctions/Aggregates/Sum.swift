/// Adds numbers up: integers exactly, doubles with what their sum lost.
class Sum: Aggregate {
    private(set) var count: Int64 = 0
    private var integers: Int128 = 0
    private var doubleCount = 0
    private var doubles = 0.0
    /// The sum of what the additions to `doubles` have rounded away.
    private var lost = 0.0
    /// The numbers that no finite double is near to.
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

    /// The sum as a double, infinite or none if it has no finite one.
    var total: Double {
        guard infiniteCount == 0 else { return .infinity }
        // The integers first: beside a great sum of doubles they would be lost one by one.
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

/// The mean of numbers.
final class Average: Sum {
    override func give(to call: QueryCall) {
        guard count > 0 else { return }
        call.give(total / Double(count))
    }
}
