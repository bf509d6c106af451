internal import COpenSSL

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

/// XAES-256-GCM (C2SP): AES-256-GCM with a key derived from the first 12 bytes of a 24-byte nonce.
///
/// Up to 2^80 messages may be sealed with one key and random nonces. The cipher is neither misuse-resistant nor
/// key-committing: a caller that needs a commitment to the key adds a check value.
///
/// The cipher is optimized for a sequence of pages: it keeps a keyed context for each of the most recent nonce
/// prefixes, so that a message with a known prefix costs a plain AES-256-GCM call with the nonce reset, about 0.15 µs
/// less than a message with a new prefix. No call allocates once every cached context is in use. Not thread-safe: the
/// owner must serialize calls.
@safe
package final class XAESCipher {
    /// The length of keys, in bytes.
    package static let keyByteCount = 32
    /// The length of nonces, in bytes.
    package static let nonceByteCount = 24
    /// The length of tags, in bytes.
    package static let tagByteCount = 16
    /// The maximum length of a message and of associated data, in bytes: the limit of one EVP call, in whole MiB.
    package static let maximumByteCount = 2047 << 20

    private let cache: PrefixCache

    /// Creates a cipher for a 32-byte key.
    ///
    /// - Parameters:
    ///   - key: the key, which is copied into the contexts; not needed afterwards.
    ///   - cachedPrefixCount: the number of nonce prefixes whose contexts are kept (about 1 KiB each), 1 to 256.
    /// - Throws: `invalidKey` for a key of another length, `openSSLFailure`.
    package init(key: borrowing SecretBytes, cachedPrefixCount: Int = 32) throws(CryptoError) {
        guard key.byteCount == Self.keyByteCount else {
            throw CryptoError(.invalidKey, "an XAES-256-GCM key has 32 bytes, this one has \(key.byteCount)")
        }
        cache = try PrefixCache(key: key, capacity: min(max(cachedPrefixCount, 1), 256))
    }

    /// Seals a message and writes `byteCount` bytes of ciphertext and a 16-byte tag.
    ///
    /// - Parameters:
    ///   - plaintext: the message; may be the same memory as the ciphertext, but must not overlap it otherwise.
    ///   - byteCount: the length of the message, 0 to ``maximumByteCount``.
    ///   - associatedData: data that is authenticated, not encrypted.
    ///   - nonce: 24 bytes that no other message under this key has.
    ///   - ciphertext: memory for `byteCount` bytes.
    ///   - tag: memory for 16 bytes.
    /// - Throws: `invalidLength`, `openSSLFailure`, `invalidKey` after ``wipe()``.
    package func seal(
        _ plaintext: UnsafeRawPointer, byteCount: Int, associatedData: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer, into ciphertext: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer
    ) throws(CryptoError) {
        try Self.check(byteCount, associatedData.count)
        let context = try unsafe cache.context(for: nonce)
        let done = unsafe context.seal(
            plaintext, byteCount: Int32(truncatingIfNeeded: byteCount), associatedData: associatedData,
            nonce: (nonce + 12).assumingMemoryBound(to: UInt8.self), into: ciphertext, tag: tag,
            parameters: cache.tagParameters)
        guard done else { throw CryptoError.openSSL("sealing \(byteCount) bytes with AES-256-GCM failed") }
    }

    /// Decrypts a message and checks its tag. If the tag is wrong, the output is wiped.
    ///
    /// - Parameters:
    ///   - ciphertext: the sealed message; may be the same memory as the plaintext, but must not overlap it otherwise.
    ///   - byteCount: the length of the message, 0 to ``maximumByteCount``.
    ///   - associatedData: the associated data that was given for sealing.
    ///   - nonce: 24 bytes.
    ///   - tag: 16 bytes.
    ///   - plaintext: memory for `byteCount` bytes; not to be read before this method has returned true.
    /// - Returns: true if the message is authentic; false if the tag is wrong or OpenSSL failed.
    /// - Throws: `invalidLength`, `openSSLFailure`, `invalidKey` after ``wipe()``.
    package func open(
        _ ciphertext: UnsafeRawPointer, byteCount: Int, associatedData: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer, tag: UnsafeRawPointer, into plaintext: UnsafeMutableRawPointer
    ) throws(CryptoError) -> Bool {
        try Self.check(byteCount, associatedData.count)
        let context = try unsafe cache.context(for: nonce)
        let done = unsafe context.open(
            ciphertext, byteCount: Int32(truncatingIfNeeded: byteCount), associatedData: associatedData,
            nonce: (nonce + 12).assumingMemoryBound(to: UInt8.self), tag: tag, into: plaintext,
            parameters: cache.tagParameters)
        if !done {
            unsafe OPENSSL_cleanse(plaintext, byteCount)
            ERR_clear_error()
        }
        return done
    }

    /// Frees the OpenSSL contexts, which wipes the keys in them; afterwards sealing and opening throw `invalidKey`. May
    /// be called again.
    package func wipe() {
        cache.wipe()
    }

    @inline(__always)
    static func check(_ byteCount: Int, _ associatedByteCount: Int) throws(CryptoError) {
        let isValid = UInt(bitPattern: byteCount) <= UInt(maximumByteCount) && associatedByteCount <= maximumByteCount
        guard isValid else {
            throw CryptoError(
                .invalidLength,
                "cannot seal or open \(byteCount) bytes with \(associatedByteCount) bytes of associated data:"
                    + " at most \(maximumByteCount) each")
        }
    }
}
