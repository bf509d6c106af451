/// SHA-1 (FIPS 180-4), for formats of other programs that name content by its SHA-1 digest. An adversary can construct
/// two contents with one digest, so a digest proves nothing.
public enum SHA1 {
    /// The length of a digest, in bytes.
    public static let byteCount = 20

    /// Returns the 20-byte digest of bytes. Safe from any thread.
    ///
    /// - Throws: `outOfMemory`, `openSSLFailure`.
    public static func digest(of bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        try unsafe HashFunction.sha1.digest(of: bytes)
    }

    /// Returns the 20-byte digest of bytes.
    ///
    /// - Throws: `outOfMemory`, `openSSLFailure`.
    public static func digest(of bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(CryptoError) in try unsafe digest(of: bytes) }
    }

    /// Computes a digest of bytes that arrive in pieces.
    public struct Hasher: ~Copyable, Sendable {
        private var stream: DigestStream

        /// Creates a hasher that has no bytes yet.
        ///
        /// - Throws: `outOfMemory`, `openSSLFailure`.
        public init() throws(CryptoError) { stream = try DigestStream(.sha1) }

        /// Adds bytes to those whose digest is computed.
        ///
        /// - Throws: `openSSLFailure`.
        public mutating func update(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
            try unsafe stream.update(bytes)
        }

        /// Returns the 20-byte digest of all added bytes, in their order.
        ///
        /// - Throws: `openSSLFailure`.
        public consuming func finalize() throws(CryptoError) -> [UInt8] { try stream.finalize() }
    }
}
