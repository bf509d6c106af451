internal import SealiteValues

extension BSON {
    /// The integer of 64 bits that is left of a number without its fraction; nil for NaN, infinity, what doesn't fit, and what is no number.
    var truncatedInt64: Int64? {
        switch self {
        case .int32(let number): Int64(number)
        case .int64(let number): number
        case .double(let number): Int64(exactly: number.rounded(.towardZero))
        case .decimal128(let number): Int64(truncating: number)
        default: nil
        }
    }

    /// The integer of 64 bits that a number is; nil if it isn't one, or has a fraction.
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
