internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104, RFC 4231).
public enum HMACSHA256 {
    /// The length of a code, in bytes.
    public static let byteCount = 32

    /// The 32-byte code of the message. Safe from any thread.
    ///
    /// - Throws: `openSSLFailure`, for want of memory.
    public static func authenticationCode(
        for message: UnsafeRawBufferPointer, key: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try unsafe HashFunction.sha256.authenticationCode(for: message, key: key)
    }

    /// The 32-byte code of the message.
    ///
    /// - Throws: `openSSLFailure`, for want of memory.
    public static func authenticationCode(
        for message: [UInt8], key: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try unsafe message.span.bytes.withUnsafeBytes { message throws(CryptoError) in
            try unsafe authenticationCode(for: message, key: key)
        }
    }

    /// Whether the code is the message's, in a time that does not depend on where they differ. A code of another length
    /// than 32 bytes is not.
    ///
    /// - Throws: `openSSLFailure`, for want of memory.
    public static func isValid(
        _ code: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer, key: borrowing SecretBytes
    ) throws(CryptoError) -> Bool {
        let expected = try unsafe authenticationCode(for: message, key: key)
        guard code.count == expected.count, let start = code.baseAddress else { return false }
        return unsafe CRYPTO_memcmp(expected, start, expected.count) == 0
    }

    /// Whether the code is the message's, in a time that does not depend on where they differ.
    ///
    /// - Throws: `openSSLFailure`, for want of memory.
    public static func isValid(
        _ code: [UInt8], for message: [UInt8], key: borrowing SecretBytes
    ) throws(CryptoError) -> Bool {
        let expected = try authenticationCode(for: message, key: key)
        return unsafe code.count == expected.count && CRYPTO_memcmp(expected, code, expected.count) == 0
    }
}
