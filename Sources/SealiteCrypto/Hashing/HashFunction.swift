internal import COpenSSL

/// The hash functions that this module can use by themselves, in HMAC and in key derivation. Sealite's own formats use
/// SHA-256; the other functions are for the formats of other programs (blob digests, imports) and for their test
/// vectors.
package enum HashFunction: String, Sendable, CaseIterable {
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"
    case sha512 = "SHA-512"
    case md5 = "MD5"

    /// The length of a digest, in bytes.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        case .md5: 16
        }
    }
}

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

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The length of a digest, in bytes.
    public static let byteCount = 32

    /// Returns the 32-byte digest of bytes. Safe from any thread.
    ///
    /// - Throws: `outOfMemory`, `openSSLFailure`.
    public static func digest(of bytes: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
        try unsafe HashFunction.sha256.digest(of: bytes)
    }

    /// Returns the 32-byte digest of bytes.
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
        public init() throws(CryptoError) { stream = try DigestStream(.sha256) }

        /// Adds bytes to those whose digest is computed.
        ///
        /// - Throws: `openSSLFailure`.
        public mutating func update(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
            try unsafe stream.update(bytes)
        }

        /// Returns the 32-byte digest of all added bytes, in their order.
        ///
        /// - Throws: `openSSLFailure`.
        public consuming func finalize() throws(CryptoError) -> [UInt8] { try stream.finalize() }
    }
}

/// HMAC with SHA-256 (RFC 2104, RFC 4231).
public enum HMACSHA256 {
    /// The length of an authentication code, in bytes.
    public static let byteCount = 32

    /// Returns the 32-byte authentication code of a message. Safe from any thread.
    ///
    /// - Throws: `outOfMemory`, `openSSLFailure`.
    public static func authenticationCode(
        for message: UnsafeRawBufferPointer, key: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try unsafe HashFunction.sha256.authenticationCode(for: message, key: key)
    }

    /// Returns the 32-byte authentication code of a message.
    ///
    /// - Throws: `outOfMemory`, `openSSLFailure`.
    public static func authenticationCode(
        for message: [UInt8], key: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try unsafe message.span.bytes.withUnsafeBytes { message throws(CryptoError) in
            try unsafe authenticationCode(for: message, key: key)
        }
    }

    /// Returns whether an authentication code is the message's, in a time that doesn't depend on the position of a
    /// difference. A code that doesn't have 32 bytes is invalid.
    ///
    /// - Throws: `outOfMemory`, `openSSLFailure`.
    public static func isValid(
        _ code: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer, key: borrowing SecretBytes
    ) throws(CryptoError) -> Bool {
        let expected = try unsafe authenticationCode(for: message, key: key)
        guard code.count == expected.count, let start = code.baseAddress else { return false }
        return unsafe CRYPTO_memcmp(expected, start, expected.count) == 0
    }

    /// Returns whether an authentication code is the message's, in a time that doesn't depend on the position of a
    /// difference. A code that doesn't have 32 bytes is invalid.
    ///
    /// - Throws: `outOfMemory`, `openSSLFailure`.
    public static func isValid(
        _ code: [UInt8], for message: [UInt8], key: borrowing SecretBytes
    ) throws(CryptoError) -> Bool {
        let expected = try authenticationCode(for: message, key: key)
        return unsafe code.count == expected.count && CRYPTO_memcmp(expected, code, expected.count) == 0
    }
}
