/// XAES-256-GCM (C2SP) for single messages: wrapping a key, sealing a record.
///
/// Nonces are 24 random bytes, drawn for each message; up to 2^80 messages may be sealed under one key. A box opens under
/// the same key and associated data only, but the scheme is not key-committing: where an attacker may choose keys, add a
/// check value derived from the key.
public enum XAES256GCM {
    /// The length of keys, in bytes.
    public static let keyByteCount = 32
    /// The length of nonces, in bytes.
    public static let nonceByteCount = 24
    /// The length of tags, in bytes.
    public static let tagByteCount = 16

    /// Seals a secret under a random nonce. Safe from any thread.
    ///
    /// - Throws: `invalidKey` when the key has not 32 bytes, `randomUnavailable`, `openSSLFailure`.
    public static func seal(
        _ secret: borrowing SecretBytes, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        try unsafe seal(
            secret.buffer, key: key,
            nonce: SecureRandom.bytes(nonceByteCount), associatedData: associatedData)
    }

    /// Seals bytes under a random nonce. Safe from any thread.
    ///
    /// - Throws: `invalidKey` when the key has not 32 bytes, `randomUnavailable`, `openSSLFailure`.
    public static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        try unsafe seal(
            plaintext, key: key, nonce: SecureRandom.bytes(nonceByteCount), associatedData: associatedData)
    }

    /// Seals bytes under a nonce of the caller's, who answers for its never being used twice with this key.
    package static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: borrowing SecretBytes, nonce: [UInt8], associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        guard nonce.count == nonceByteCount else {
            throw CryptoError(.invalidLength, "XAES-256-GCM takes a nonce of 24 bytes, not \(nonce.count)")
        }
        let cipher = try XAESCipher(key: key, cachedPrefixCount: 1)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        try unsafe associatedData.span.bytes.withUnsafeBytes { data throws(CryptoError) in
            try unsafe cipher.seal(
                plaintext.place, byteCount: plaintext.count, associatedData: data, nonce: nonce, into: &ciphertext,
                tag: &tag)
        }
        return SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
    }

    /// Opens a box. Safe from any thread.
    ///
    /// - Throws: `authenticationFailed` when the key or the associated data is another or the box was altered;
    ///   `invalidLength` for a nonce or tag of another length, `invalidKey`, `openSSLFailure`.
    public static func open(
        _ box: SealedBox, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        try box.check(nonceByteCount: nonceByteCount, "XAES-256-GCM")
        let cipher = try XAESCipher(key: key, cachedPrefixCount: 1)
        return try unsafe SecretBytes(byteCount: box.ciphertext.count) { plaintext throws(CryptoError) in
            let fits = try unsafe associatedData.span.bytes.withUnsafeBytes { data throws(CryptoError) in
                try unsafe cipher.open(
                    box.ciphertext, byteCount: box.ciphertext.count, associatedData: data, nonce: box.nonce,
                    tag: box.tag, into: UnsafeMutableRawPointer(mutating: UnsafeRawBufferPointer(plaintext).place))
            }
            guard fits else {
                throw CryptoError(.authenticationFailed, "the tag of a message sealed with XAES-256-GCM does not fit")
            }
        }
    }
}
