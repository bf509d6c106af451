internal import SealiteBase

/// The SHA-1 digest that identifies the content of a blob, or of an attachment, as the replication protocol calls it:
/// 20 bytes, written as `sha1-` and 28 characters of Base64.
public struct BlobDigest: Sendable, Hashable, CustomStringConvertible {
    /// The first 16 of the digest's 20 bytes as big-endian numbers; `third` has the last four. An array would need an
    /// allocation for each of very many digests.
    private let first, second: UInt64
    private let third: UInt32

    private static let byteCount = 20
    private static let prefix = "sha1-"

    /// Creates a digest from its bytes; nil unless there are exactly 20.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        (first, second, third) = (number(0..<8), number(8..<16), UInt32(number(16..<20)))
    }

    /// Creates a digest from its text, `sha1-` and 28 characters of Base64; nil if the text has another form.
    public init?(_ text: String) {
        guard text.utf8.count == 33, text.hasPrefix(Self.prefix), let bytes = Base64.decode(text.dropFirst(5)) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// The digest's 20 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: first >> shift)) }
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: second >> shift)) }
        for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: third >> shift)) }
        return bytes
    }

    /// The digest's text: `sha1-` and 28 characters of Base64.
    public var description: String { Self.prefix + Base64.encode(bytes) }
}
