/// AES-256-GCM (NIST SP 800-38D) for single messages, only with a 32-byte key, a 12-byte nonce and a 16-byte tag.
///
/// A nonce that is used twice with one key reveals both messages and the authentication key, and random nonces are safe
/// for only 2^32 messages. Unless a protocol requires AES-GCM, use ``XAES256GCM``.
public enum AESGCM {
    /// The length of keys, in bytes.
    public static let keyByteCount = 32
    /// The length of nonces, in bytes.
    public static let nonceByteCount = 12
    /// The length of tags, in bytes.
    public static let tagByteCount = 16

    /// Seals bytes with a nonce from the caller, who must never use it twice with this key. Safe from any thread.
    ///
    /// - Throws: `invalidKey`, `invalidLength` for a nonce of another length or a message near 2 GiB, `openSSLFailure`.
    public static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        guard nonce.count == nonceByteCount else {
            throw CryptoError(.invalidLength, "AES-256-GCM takes a nonce of 12 bytes, not \(nonce.count)")
        }
        return try unsafe sealWithOpenSSL(plaintext, key: key, nonce: nonce, associatedData: associatedData)
    }

    /// Seals the bytes of an array with a nonce from the caller, who must never use it twice with this key.
    ///
    /// - Throws: `invalidKey`, `invalidLength` for a nonce of another length or a message near 2 GiB, `openSSLFailure`.
    public static func seal(
        _ plaintext: [UInt8], key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        try unsafe plaintext.span.bytes.withUnsafeBytes { plaintext throws(CryptoError) in
            try unsafe seal(plaintext, key: key, nonce: nonce, associatedData: associatedData)
        }
    }

    /// Decrypts and authenticates a sealed box, and returns its message. Safe from any thread.
    ///
    /// - Throws: `authenticationFailed` if the key or the associated data is wrong or the box was altered;
    ///   `invalidKey`, `invalidLength` for a nonce or tag of another length, `openSSLFailure`.
    public static func open(
        _ box: SealedBox, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        try box.check(nonceByteCount: nonceByteCount, "AES-256-GCM")
        return try openWithOpenSSL(box, key: key, associatedData: associatedData)
    }
}
