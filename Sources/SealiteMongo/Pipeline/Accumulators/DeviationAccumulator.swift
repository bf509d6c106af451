internal import SealiteValues

/// The accumulator of `$stdDevPop` and `$stdDevSamp`, the standard deviation of the numbers among the values.
final class DeviationAccumulator: Accumulator {
    private var deviation = Deviation()
    private let isSample: Bool

    init(isSample: Bool) { self.isSample = isSample }

    func add(_ value: BSON?) -> Int {
        if let number = Number(value) { deviation.add(number) }
        return 0
    }

    func result() -> BSON { deviation.value(isSample: isSample) }
}
