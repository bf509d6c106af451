internal import Glibc
internal import SealiteValues

/// A function of one number, with an implementation for doubles and one for decimals.
struct RealFunction {
    let name: String
    let double: (Double) -> Double
    let decimal: (Decimal128) -> Decimal128

    init(_ name: String, _ double: @escaping (Double) -> Double, _ decimal: @escaping (Decimal128) -> Decimal128) {
        (self.name, self.double, self.decimal) = (name, double, decimal)
    }

    /// Returns the function's value for an argument; null if it is null, undefined or missing. Throws `MongoError` for
    /// any other value that isn't a number.
    func value(_ argument: BSON?) throws -> BSON? {
        if argument.isNullish { return .null }
        switch Number(argument) {
        case .decimal(let value): return .decimal128(decimal(value))
        case let number?: return .double(double(number.double))
        case nil: throw MongoError(code: 28765, "\(name) takes numbers, not \(argument.typeName).")
        }
    }
}
