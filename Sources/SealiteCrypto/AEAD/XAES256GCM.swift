/// XAES-256-GCM (C2SP) for single messages, such as a wrapped key or a record.
///
/// Nonces are 24 random bytes, drawn for each message; up to 2^80 messages may be sealed with one key. A box opens only
/// with the same key and associated data, but the scheme isn't key-committing: if an attacker may choose keys, add a
/// check value derived from the key.
public enum XAES256GCM {
    /// The length of keys, in bytes.
    public static let keyByteCount = 32
    /// The length of nonces, in bytes.
    public static let nonceByteCount = 24
    /// The length of tags, in bytes.
    public static let tagByteCount = 16

    /// Seals a secret with a random nonce. Safe from any thread.
    ///
    /// - Throws: `invalidKey` if the key doesn't have 32 bytes, `invalidLength` for a message near 2 GiB,
    ///   `randomUnavailable`, `openSSLFailure`.
    public static func seal(
        _ secret: borrowing SecretBytes, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        try unsafe seal(
            secret.buffer, key: key,
            nonce: SecureRandom.bytes(nonceByteCount), associatedData: associatedData)
    }

    /// Seals bytes with a random nonce. Safe from any thread.
    ///
    /// - Throws: `invalidKey` if the key doesn't have 32 bytes, `invalidLength` for a message near 2 GiB,
    ///   `randomUnavailable`, `openSSLFailure`.
    public static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: borrowing SecretBytes, associatedData: [UInt8]
    ) throws(CryptoError) -> SealedBox {
        try unsafe seal(
            plaintext, key: key, nonce: SecureRandom.bytes(nonceByteCount), associatedData: associatedData)
    }

    /// Seals bytes with a nonce from the caller, who must never use it twice with this key.
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
                plaintext.address, byteCount: plaintext.count, associatedData: data, nonce: nonce, into: &ciphertext,
                tag: &tag)
        }
        return SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
    }

    /// Decrypts and authenticates a sealed box, and returns its message. Safe from any thread.
    ///
    /// - Throws: `authenticationFailed` if the key or the associated data is wrong or the box was altered;
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
                    tag: box.tag, into: UnsafeMutableRawPointer(mutating: UnsafeRawBufferPointer(plaintext).address))
            }
            guard fits else {
                throw CryptoError(
                    .authenticationFailed,
                    "a message sealed with XAES-256-GCM can't be opened: its key or associated data is wrong,"
                        + " or it was altered")
            }
        }
    }
}
