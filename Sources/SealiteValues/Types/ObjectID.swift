/// An ObjectID: 12 bytes, of which the first four are the time of its creation in seconds since 1970, in big-endian
/// order.
public struct ObjectID: Sendable, Hashable {
    /// The number of bytes.
    public static let byteCount = 12

    /// The first 8 bytes as a big-endian number.
    let high: UInt64
    /// The last 4 bytes as a big-endian number.
    let low: UInt32

    init(high: UInt64, low: UInt32) { (self.high, self.low) = (high, low) }

    /// The time of creation in seconds since 1970, by the clock of the creating program.
    public var seconds: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }
}
