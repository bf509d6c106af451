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
