/// Bytes with a subtype.
public struct Binary: Sendable, Hashable {
    /// The subtype: 0 generic, 3 and 4 UUID, 5 MD5, 128 and above for applications.
    public let subtype: UInt8
    /// The bytes.
    public let bytes: [UInt8]

    /// Creates bytes with a subtype.
    public init(_ bytes: [UInt8], subtype: UInt8 = 0) { (self.bytes, self.subtype) = (bytes, subtype) }
}
