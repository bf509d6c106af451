internal import SealiteValues

/// The accumulator of `$covariancePop` and `$covarianceSamp`, which ignores values that aren't pairs of numbers.
final class CovarianceAccumulator: Accumulator {
    private let isSample: Bool
    private var count = 0
    private var (meanX, meanY, products) = (Number.double(0), Number.double(0), Number.double(0))

    init(isSample: Bool) { self.isSample = isSample }

    func add(_ value: BSON?) -> Int {
        guard case .array(let pair) = value, pair.count == 2, let x = Number(pair[0]), let y = Number(pair[1]) else {
            return 0
        }
        count += 1
        let (distanceX, distanceY) = (x.subtracting(meanX), y.subtracting(meanY))
        meanX = meanX.adding(quotient(distanceX, count))
        meanY = meanY.adding(quotient(distanceY, count))
        guard count > 1 else { return 0 }
        let product = distanceX.multiplied(by: distanceY).multiplied(by: .double(Double(count - 1)))
        products = products.adding(quotient(product, count))
        return 0
    }

    func result() -> BSON {
        let divisor = isSample ? count - 1 : count
        return divisor > 0 ? quotient(products, divisor).bson : .null
    }

    private func quotient(_ number: Number, _ divisor: Int) -> Number {
        number.isDecimal
            ? .decimal(number.decimal.divided(by: Decimal128(divisor))) : .double(number.double / Double(divisor))
    }
}
