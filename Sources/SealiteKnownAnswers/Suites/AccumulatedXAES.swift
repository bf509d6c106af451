import SealiteCrypto

/// C2SP's accumulated test of XAES-256-GCM: the key, nonce, message and associated data of each round are drawn from
/// SHAKE-128, with one byte of length before each of the last two; the ciphertexts are hashed with SHAKE-128.
package enum AccumulatedXAES {
    /// Returns the 32-byte hash over the ciphertexts of a number of messages; empty if a message doesn't open to its
    /// plaintext.
    ///
    /// - Throws: `CryptoError`, or a `VectorError` if the stream of drawn bytes ends too soon.
    package static func digest(messages: Int) throws -> [UInt8] {
        // A round draws 58 bytes and two texts of 0 to 255 bytes, 127.5 on average. The margin is over 10 standard
        // deviations, and a stream that is too short is an error.
        var stream = try SHAKE128().finalize(byteCount: messages * 320 + 60_000)[...]
        func draw(_ byteCount: Int) throws -> [UInt8] {
            guard stream.count >= byteCount else { throw VectorError(field: "messages") }
            defer { stream = stream.dropFirst(byteCount) }
            return Array(stream.prefix(byteCount))
        }
        var digest = try SHAKE128()
        for _ in 0..<messages {
            let key = try draw(32)
            let secret = SecretBytes(copying: key)
            let nonce = try draw(24)
            let plaintext = try draw(Int(draw(1)[0]))
            let associatedData = try draw(Int(draw(1)[0]))
            let box = try unsafe plaintext.withUnsafeBytes {
                try unsafe XAES256GCM.seal($0, key: secret, nonce: nonce, associatedData: associatedData)
            }
            let opened = try XAES256GCM.open(box, key: secret, associatedData: associatedData)
            guard opened.hasBytes(plaintext) else { return [] }
            try digest.update(box.ciphertext)
            try digest.update(box.tag)
        }
        return try digest.finalize(byteCount: 32)
    }
}
