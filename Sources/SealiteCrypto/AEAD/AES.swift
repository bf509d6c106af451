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

/// A sealed message: nonce, ciphertext and tag. None of it is secret.
public struct SealedBox: Sendable, Hashable {
    /// The nonce: 24 bytes with ``XAES256GCM``, 12 with ``AESGCM``.
    public let nonce: [UInt8]
    /// The ciphertext, which has the same length as the message.
    public let ciphertext: [UInt8]
    /// The 16-byte authentication tag.
    public let tag: [UInt8]

    /// Creates a sealed message from its parts; their lengths are checked when it is opened.
    public init(nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
        self.nonce = nonce
        self.ciphertext = ciphertext
        self.tag = tag
    }

    /// Creates a sealed message from nonce ‖ ciphertext ‖ tag.
    ///
    /// - Throws: `invalidLength` if there are fewer bytes than a nonce and a tag have.
    public init(combined: [UInt8], nonceByteCount: Int) throws(CryptoError) {
        guard nonceByteCount >= 0, combined.count >= nonceByteCount + 16 else {
            throw CryptoError(
                .invalidLength,
                "a sealed message, with its nonce, has \(combined.count) bytes: too few for a nonce of"
                    + " \(nonceByteCount) bytes and a tag of 16 bytes")
        }
        nonce = Array(combined[..<nonceByteCount])
        ciphertext = Array(combined[nonceByteCount..<(combined.count - 16)])
        tag = Array(combined[(combined.count - 16)...])
    }

    /// Nonce ‖ ciphertext ‖ tag.
    public var combined: [UInt8] { nonce + ciphertext + tag }

    /// Throws `invalidLength` if the nonce doesn't have `nonceByteCount` bytes or the tag doesn't have 16. The text of
    /// the error names `algorithm`.
    func check(nonceByteCount: Int, _ algorithm: StaticString) throws(CryptoError) {
        guard nonce.count == nonceByteCount, tag.count == 16 else {
            throw CryptoError(
                .invalidLength,
                "\(algorithm) takes a nonce of \(nonceByteCount) and a tag of 16 bytes, not"
                    + " \(nonce.count) and \(tag.count)")
        }
    }
}

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
