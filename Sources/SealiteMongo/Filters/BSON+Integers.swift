internal import SealiteValues

extension BSON {
    /// The number without its fraction as an integer of 64 bits; nil for NaN, infinity, numbers out of range, and
    /// values that aren't numbers.
    var truncatedInt64: Int64? {
        switch self {
        case .int32(let number): Int64(number)
        case .int64(let number): number
        case .double(let number): Int64(exactly: number.rounded(.towardZero))
        case .decimal128(let number): Int64(truncating: number)
        default: nil
        }
    }

    /// The number as an integer of 64 bits; nil if it has a fraction or doesn't fit, and for values that aren't
    /// numbers.
    var exactInt64: Int64? {
        switch self {
        case .int32(let number): Int64(number)
        case .int64(let number): number
        case .double(let number): Int64(exactly: number)
        case .decimal128(let number): Int64(exactly: number)
        default: nil
        }
    }
}
