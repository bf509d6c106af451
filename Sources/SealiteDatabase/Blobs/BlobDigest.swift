internal import SealiteCrypto

/// The SHA-1 digest that names a blob's content, as the replication protocol needs it: 20 bytes, written
/// `sha1-` and 28 characters of base64.
public struct BlobDigest: Sendable, Hashable, CustomStringConvertible {
    /// The digest's 20 bytes.
    let bytes: [UInt8]

    static let byteCount = 20
    private static let prefix = "sha1-"

    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// A digest from its text, nil when it is none.
    public init?(_ text: String) {
        guard text.utf8.count == 33, text.hasPrefix(Self.prefix),
            let bytes = Base64.decode(Array(text.utf8.dropFirst(5))), bytes.count == Self.byteCount
        else { return nil }
        self.bytes = bytes
    }

    /// The digest's text.
    public var description: String { Self.prefix + Base64.encode(bytes) }
}

/// Base64 (RFC 4648 §4) with padding, as blob digests are written.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32((3 - group.count) * 8)
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[Int(bits >> UInt32((3 - index) * 6) & 63)] : 0x3D)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of base64 text; nil when it isn't exactly what `encode` would write.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in text {
            if character == 0x3D { continue }
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        return Array(encode(bytes).utf8) == text ? bytes : nil
    }
}
