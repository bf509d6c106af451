/// AES-256 Key Wrap (RFC 3394; KW of NIST SP 800-38F): a key sealed under a key, with 8 bytes of its own for integrity and no
/// nonce.
///
/// It is deterministic: wrapping one secret twice under one key gives the same bytes. It takes no associated data: bind the wrap
/// to its place by deriving a wrapping key for that place.
public enum AESKeyWrap {
    /// The length of wrapping keys, in bytes.
    public static let keyByteCount = 32
    /// The bytes by which a wrapped secret is longer.
    public static let overheadByteCount = 8

    /// Wraps a secret. Safe from any thread.
    ///
    /// - Parameters:
    ///   - secret: 16 to 4096 bytes, a multiple of 8.
    ///   - key: 32 bytes.
    /// - Returns: the wrapped secret, 8 bytes longer.
    /// - Throws: `invalidKey`, `invalidLength`, `openSSLFailure`.
    public static func wrap(
        _ secret: borrowing SecretBytes, key: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try check(secret.byteCount)
        return try wrapWithOpenSSL(secret, key: key)
    }

    /// Unwraps what ``wrap(_:key:)`` made. Safe from any thread.
    ///
    /// - Returns: the secret.
    /// - Throws: `authenticationFailed` when the key is another or the bytes were altered; `invalidKey`, `invalidLength`,
    ///   `openSSLFailure`.
    public static func unwrap(
        _ wrapped: [UInt8], key: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try check(wrapped.count - overheadByteCount)
        return try unwrapWithOpenSSL(wrapped, key: key)
    }

    private static func check(_ byteCount: Int) throws(CryptoError) {
        guard (16...4096).contains(byteCount), byteCount.isMultiple(of: 8) else {
            throw CryptoError(
                .invalidLength, "AES key wrap takes a secret of 16 to 4096 bytes, a multiple of 8, not \(byteCount)")
        }
    }
}
