internal import SealiteValues

extension WindowFunctionKind {
    /// The window functions `$derivative`, `$integral` and `$expMovingAvg`.
    static let rates: [WindowFunctionKind] = [
        rate("$derivative", isArea: false), rate("$integral", isArea: true),
        .init("$expMovingAvg") { operand, window, order, parser in
            let operands = try NamedOperands(
                operand, of: "$expMovingAvg", ["input", "N", "alpha"], required: ["input"])
            guard order != nil else { throw MongoError(code: 9, "$expMovingAvg needs 'sortBy'.") }
            guard window == nil else { throw MongoError(code: 9, "$expMovingAvg takes no 'window'.") }
            let weight: MovingAverage.Weight
            switch (operands["N"], operands["alpha"]) {
            case (let count?, nil):
                guard let number = Number(count)?.exactInteger, (1..<Int64.max).contains(number),
                    Number(count)?.isDouble == false
                else {
                    throw MongoError(code: 9, "$expMovingAvg takes a positive integer as 'N'.")
                }
                weight = .init(new: Decimal128(2), old: Decimal128(number - 1), all: Decimal128(number + 1))
            case (nil, let alpha?):
                guard let number = Number(alpha), number.double > 0, number.double < 1 else {
                    throw MongoError(code: 9, "$expMovingAvg takes a number between 0 and 1 as 'alpha'.")
                }
                let one = Decimal128(1)
                weight = .init(new: number.decimal, old: one.subtracting(number.decimal), all: one)
            default: throw MongoError(code: 9, "$expMovingAvg needs either 'N' or 'alpha', and not both.")
            }
            return MovingAverage(input: try parser.parse(operands["input"] ?? .null), weight: weight)
        },
    ]

    private static func rate(_ name: String, isArea: Bool) -> WindowFunctionKind {
        .init(name) { operand, window, order, parser in
            let operands = try NamedOperands(operand, of: name, ["input", "unit"], required: ["input"])
            guard let order, order.keys.count == 1 else {
                throw MongoError(code: 9, "\(name) needs 'sortBy' with one key.")
            }
            guard isArea || window != nil else { throw MongoError(code: 9, "\(name) needs a 'window'.") }
            let unit = try DateUnit.argument(operands["unit"], name)
            guard unit?.months == nil else {
                throw MongoError(code: 5490704, "\(name) takes 'week' or a shorter unit as 'unit'.")
            }
            return Rate(
                name: name, isArea: isArea, input: try parser.parse(operands["input"] ?? .null), unit: unit,
                bounds: try WindowBounds(window, order))
        }
    }
}
