/// HKDF with SHA-256 (RFC 5869): extract, then expand. It derives keys from keys, and must not be used with
/// passphrases.
public enum HKDF {
    /// Derives a key. Safe from any thread.
    ///
    /// - Parameters:
    ///   - inputKeyMaterial: the key to derive from.
    ///   - salt: a public salt; an empty one means 32 zero bytes.
    ///   - info: the purpose of the key; a different text for each purpose.
    ///   - byteCount: the length of the key, 1 to 8160 bytes.
    /// - Returns: the key.
    /// - Throws: `invalidLength`, `openSSLFailure`.
    public static func deriveKey(
        inputKeyMaterial: borrowing SecretBytes, salt: UnsafeRawBufferPointer, info: [UInt8], byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
        try unsafe HashFunction.sha256.hkdf(
            .extractAndExpand, key: inputKeyMaterial, salt: salt, info: info, byteCount: byteCount)
    }

    /// Derives a key, with a salt in an array.
    ///
    /// - Throws: `invalidLength`, `openSSLFailure`.
    public static func deriveKey(
        inputKeyMaterial: borrowing SecretBytes, salt: [UInt8] = [], info: [UInt8], byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
        try unsafe salt.span.bytes.withUnsafeBytes { salt throws(CryptoError) in
            try unsafe deriveKey(inputKeyMaterial: inputKeyMaterial, salt: salt, info: info, byteCount: byteCount)
        }
    }
}
