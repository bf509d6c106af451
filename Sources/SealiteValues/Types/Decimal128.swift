/// A decimal number of up to 34 digits: IEEE 754-2008 decimal128 in the binary integer encoding.
///
/// Two numbers are equal (`==`) if their encodings are equal: 1.0 isn't 1.00.
public struct Decimal128: Sendable, Hashable {
    /// The upper 64 bits of the encoding.
    public let high: UInt64
    /// The lower 64 bits of the encoding.
    public let low: UInt64

    /// Creates a number from its encoding.
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
