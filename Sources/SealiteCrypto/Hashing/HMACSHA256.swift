internal import COpenSSL

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
