internal import Glibc
internal import SealiteValues

/// Functions of real numbers over decimals.
enum DecimalFunctions {
    private static func viaDouble(_ value: Decimal128, _ function: (Double) -> Double) -> Decimal128 {
        Decimal128(function(value.doubleValue))
    }
    @Sendable static func exp(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.exp) }
    @Sendable static func sqrt(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.sqrt) }
    @Sendable static func ln(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.log) }
    @Sendable static func log10(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.log10) }
    @Sendable static func log(_ value: Decimal128, base: Decimal128) -> Decimal128 { ln(value).divided(by: ln(base)) }
    @Sendable static func pow(_ base: Decimal128, _ exponent: Decimal128) -> Decimal128 {
        Decimal128(Glibc.pow(base.doubleValue, exponent.doubleValue))
    }
    @Sendable static func sin(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.sin) }
    @Sendable static func cos(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.cos) }
    @Sendable static func tan(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.tan) }
    @Sendable static func asin(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.asin) }
    @Sendable static func acos(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.acos) }
    @Sendable static func atan(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.atan) }
    @Sendable static func sinh(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.sinh) }
    @Sendable static func cosh(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.cosh) }
    @Sendable static func tanh(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.tanh) }
    @Sendable static func asinh(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.asinh) }
    @Sendable static func acosh(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.acosh) }
    @Sendable static func atanh(_ value: Decimal128) -> Decimal128 { viaDouble(value, Glibc.atanh) }
    @Sendable static func atan2(_ y: Decimal128, _ x: Decimal128) -> Decimal128 {
        Decimal128(Glibc.atan2(y.doubleValue, x.doubleValue))
    }
    @Sendable static func radians(_ value: Decimal128) -> Decimal128 { viaDouble(value) { $0 * Double.pi / 180 } }
    @Sendable static func degrees(_ value: Decimal128) -> Decimal128 { viaDouble(value) { $0 * 180 / Double.pi } }
}
