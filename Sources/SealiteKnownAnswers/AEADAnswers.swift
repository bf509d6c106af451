import SealiteCrypto

/// Tests of AES-256-GCM, XAES-256-GCM and AES-256 key wrap: sealing must give the published ciphertext, opening the
/// plaintext.
enum AEADAnswers {
    static func sealAESGCM(_ text: VectorText, _ tally: inout Tally) {
        tally.checkSuccesses(text, isSealedAndOpened)
    }

    static func openAESGCM(_ text: VectorText, _ tally: inout Tally) {
        tally.check(text) { vector in
            if try vector.succeeds(or: "authentication failed") { return try isSealedAndOpened(vector) }
            let box = try SealedBox(
                nonce: vector.bytes("nonce"), ciphertext: vector.bytes("ciphertext"), tag: vector.bytes("tag"))
            return try Forgery.isRefused {
                _ = try AESGCM.open(
                    box, key: vector.secret("key"), associatedData: vector.bytes("associatedData"))
            }
        }
    }

    private static func isSealedAndOpened(_ vector: VectorText.Case) throws -> Bool {
        let key = try vector.secret("key")
        let associatedData = try vector.bytes("associatedData")
        let plaintext = try vector.bytes("plaintext")
        let expected = try SealedBox(
            nonce: vector.bytes("nonce"), ciphertext: vector.bytes("ciphertext"), tag: vector.bytes("tag"))
        let box = try AESGCM.seal(plaintext, key: key, nonce: expected.nonce, associatedData: associatedData)
        let opened = try AESGCM.open(expected, key: key, associatedData: associatedData)
        return box.hasContent(of: expected) && opened.hasBytes(plaintext)
    }

    static func xaes(_ text: VectorText, _ tally: inout Tally) {
        tally.checkSuccesses(text) { vector in
            let key = try vector.secret("key")
            let associatedData = try vector.bytes("associatedData")
            let nonce = try vector.bytes("nonce")
            let expected = try SealedBox(combined: nonce + vector.bytes("ciphertext"), nonceByteCount: 24)
            let plaintext = try vector.bytes("plaintext")
            let box = try unsafe plaintext.withUnsafeBytes {
                try unsafe XAES256GCM.seal($0, key: key, nonce: nonce, associatedData: associatedData)
            }
            let opened = try XAES256GCM.open(expected, key: key, associatedData: associatedData)
            guard box.hasContent(of: expected), opened.hasBytes(plaintext) else { return false }
            return try refusesForgeries(of: expected, associatedData: associatedData, key: key)
        }
    }

    /// Returns whether XAES-256-GCM refuses to open a sealed box if any of its bytes is changed, and if the associated
    /// data is another. C2SP publishes no vectors that must fail.
    private static func refusesForgeries(
        of box: SealedBox, associatedData: [UInt8], key: borrowing SecretBytes
    ) throws -> Bool {
        let combined = box.nonce + box.ciphertext + box.tag
        for forged in Forgery.all(of: combined) {
            let forgedBox = try SealedBox(combined: forged, nonceByteCount: XAES256GCM.nonceByteCount)
            let isRefused = try Forgery.isRefused {
                _ = try XAES256GCM.open(forgedBox, key: key, associatedData: associatedData)
            }
            guard isRefused else { return false }
        }
        return try Forgery.isRefused {
            _ = try XAES256GCM.open(box, key: key, associatedData: associatedData + [0])
        }
    }

    /// Runs NIST's vectors for unwrapping. If a vector is valid, its secret is also wrapped, which must give the
    /// vector's ciphertext.
    static func keyWrap(_ text: VectorText, _ tally: inout Tally) {
        tally.check(text) { vector in
            let key = try vector.secret("key")
            let wrapped = try vector.bytes("wrapped")
            if try vector.succeeds(or: "authentication failed") {
                let secret = try vector.bytes("secret")
                let unwrapped = try AESKeyWrap.unwrap(wrapped, key: key)
                return try AESKeyWrap.wrap(SecretBytes(copying: secret), key: key) == wrapped
                    && unwrapped.hasBytes(secret)
            }
            return try Forgery.isRefused { _ = try AESKeyWrap.unwrap(wrapped, key: key) }
        }
    }

    /// Runs the first of C2SP's accumulated vectors, of 10,000 messages. The second one, of 1,000,000 messages, would
    /// take too long.
    static func accumulatedXAES(_ text: VectorText, _ tally: inout Tally) {
        guard let vector = text.cases.first else { return }
        tally.check(vector) {
            guard try vector.succeeds(or: "success") else { return false }
            return try AccumulatedXAES.digest(messages: vector.number("messages")) == vector.bytes("digest")
        }
    }
}

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

/// Comparisons for the suites of test vectors. None of them uses a comparison of `SealiteCrypto`: if a faulty one
/// accepted everything, wrong answers of every algorithm would pass.
extension SecretBytes {
    /// Returns whether the secret has exactly the given bytes. Not in constant time: published vectors aren't secret.
    borrowing func hasBytes(_ expected: [UInt8]) -> Bool {
        unsafe withUnsafeBytes { bytes in
            guard bytes.count == expected.count else { return false }
            for index in 0..<bytes.count where unsafe bytes[index] != expected[index] { return false }
            return true
        }
    }
}

extension SealedBox {
    /// Returns whether the ciphertext and the tag are exactly those of another box.
    func hasContent(of other: SealedBox) -> Bool {
        ciphertext.elementsEqual(other.ciphertext) && tag.elementsEqual(other.tag)
    }
}

/// Altered forms of published bytes, which production code must refuse.
enum Forgery {
    /// Returns one altered copy of `bytes` for each byte: in copy n only byte n differs, by bit n mod 8.
    static func all(of bytes: [UInt8]) -> some Sequence<[UInt8]> {
        bytes.indices.lazy.map { index in
            var forged = bytes
            forged[index] ^= 1 << (index % 8)
            return forged
        }
    }

    /// Returns whether a call throws a `CryptoError` with the code `authenticationFailed`; false if it returns.
    /// Rethrows any other error.
    static func isRefused(_ call: () throws -> Void) throws -> Bool {
        do {
            try call()
            return false
        } catch let error as CryptoError where error.code == .authenticationFailed {
            return true
        }
    }
}
