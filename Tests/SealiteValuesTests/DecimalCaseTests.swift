import SealiteValues
import Testing

@Suite("arithmetic of decimals")
struct DecimalCaseTests {
    @Test("all results are those of Python's decimal module")
    func arithmetic() throws {
        try CaseFile("Mongo/decimal-arithmetic.json")
            .run(group: { "decimals, \($0.text("operation")?.prefix { $0 != " " } ?? "")" }) { entry in
                guard let operation = entry.text("operation"), let left = entry.text("left"),
                    let right = entry.text("right"), let expected = entry.text("result")
                else { return "a member is missing" }
                let result = Self.result(of: operation, left, right)
                let isSame =
                    operation == "toDouble" ? result.flatMap(Double.init) == Double(expected) : result == expected
                return isSame ? nil : "\(operation) \(left) \(right) is \(result ?? "nil") for \(expected)"
            }
    }

    private static func result(of operation: String, _ left: String, _ right: String) -> String? {
        if operation == "fromDouble" { return Double(left).map { Decimal128($0).description } }
        guard let number = Decimal128(left) else { return "not read" }
        if operation == "toDouble" { return number.doubleValue.description }
        if operation.hasPrefix("round ") {
            guard let places = Int(right), let rule = rules[String(operation.dropFirst(6))] else { return nil }
            return number.rounded(places: places, rule: rule).description
        }
        guard let other = Decimal128(right) else { return "not read" }
        return operations[operation]?(number, other)
    }

    private static let rules: [String: FloatingPointRoundingRule] = [
        "toNearestOrEven": .toNearestOrEven, "toNearestOrAwayFromZero": .toNearestOrAwayFromZero, "up": .up,
        "down": .down, "towardZero": .towardZero, "awayFromZero": .awayFromZero,
    ]

    private static let operations: [String: @Sendable (Decimal128, Decimal128) -> String] = [
        "add": { $0.adding($1).description },
        "subtract": { $0.subtracting($1).description },
        "multiply": { $0.multiplied(by: $1).description },
        "divide": { $0.divided(by: $1).description },
        "remainder": { $0.remainder(dividingBy: $1).description },
        "compare": { String($0.compared(to: $1).signum()) },
    ]
}
