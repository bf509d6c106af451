internal import SealiteCrypto

/// The SHA-1 digest that identifies a blob's content, as in the replication protocol: 20 bytes, written as `sha1-` and 28
/// characters of Base64.
public struct BlobDigest: Sendable, Hashable, CustomStringConvertible {
    /// The digest's 20 bytes.
    let bytes: [UInt8]

    static let byteCount = 20
    private static let prefix = "sha1-"

    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Creates a digest from its text; nil if the text isn't a digest.
    public init?(_ text: String) {
        guard text.utf8.count == 33, text.hasPrefix(Self.prefix),
            let bytes = Base64.decode(text.dropFirst(5)), bytes.count == Self.byteCount
        else { return nil }
        self.bytes = bytes
    }

    /// The digest's text.
    public var description: String { Self.prefix + Base64.encode(bytes) }
}
