/// An ObjectID: 12 bytes, of which the first four are the seconds since 1970 at which it was made, the highest first.
public struct ObjectID: Sendable, Hashable {
    /// The number of bytes.
    public static let byteCount = 12

    /// The first 8 bytes as one number, the highest first.
    let high: UInt64
    /// The last 4 bytes as one number, the highest first.
    let low: UInt32

    init(high: UInt64, low: UInt32) { (self.high, self.low) = (high, low) }

    /// The seconds since 1970 at which the ObjectID was made, by the clock of the one who made it.
    public var seconds: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }
}
