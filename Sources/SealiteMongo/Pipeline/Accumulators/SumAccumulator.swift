internal import SealiteValues

/// The accumulator of `$sum` and `$avg`, which ignores values that aren't numbers.
final class SumAccumulator: Accumulator {
    private var sum = NumberSum()
    private let isMean: Bool

    init(isMean: Bool) { self.isMean = isMean }

    func add(_ value: BSON?) -> Int {
        if let number = Number(value) { sum.add(number) }
        return 0
    }

    /// Adds a value `count` times.
    func add(_ value: BSON?, times count: Int) {
        if let number = Number(value) { sum.add(number, times: count) }
    }

    func result() -> BSON { isMean ? sum.mean?.bson ?? .null : sum.total.bson }
}
