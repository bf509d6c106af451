/// AES-256 Key Wrap (RFC 3394; KW of NIST SP 800-38F): seals a key with another key, with 8 bytes for integrity and no
/// nonce.
///
/// Wrapping is deterministic: wrapping one secret twice with one key gives the same bytes. It takes no associated data;
/// to bind a wrapped key to a context, derive a wrapping key for that context.
public enum AESKeyWrap {
    /// The length of wrapping keys, in bytes.
    public static let keyByteCount = 32
    /// The number of bytes by which a wrapped secret is longer than the secret.
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

    /// Unwraps a secret that ``wrap(_:key:)`` wrapped. Safe from any thread.
    ///
    /// - Returns: the secret.
    /// - Throws: `authenticationFailed` if the key is wrong or the bytes were altered; `invalidKey`, `invalidLength`,
    ///   `openSSLFailure`.
    public static func unwrap(
        _ wrapped: [UInt8], key: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try check(wrapped.count, overhead: overheadByteCount)
        return try unwrapWithOpenSSL(wrapped, key: key)
    }

    private static func check(_ byteCount: Int, overhead: Int = 0) throws(CryptoError) {
        guard (16 + overhead...4096 + overhead).contains(byteCount), byteCount.isMultiple(of: 8) else {
            let what = overhead == 0 ? "a secret to wrap" : "a secret that was wrapped"
            throw CryptoError(
                .invalidLength,
                "\(what) with AES key wrap has \(16 + overhead) to \(4096 + overhead) bytes, a multiple of 8,"
                    + " not \(byteCount)")
        }
    }
}
