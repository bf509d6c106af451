import SealiteCrypto

/// Tests of AES-256-GCM, XAES-256-GCM and AES-256 key wrap: sealing must give the published ciphertext, opening the
/// plaintext.
enum AEADAnswers {
    static func sealAESGCM(_ text: VectorText, _ tally: inout Tally) {
        for vector in text.cases {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
                return try isSealedAndOpened(vector)
            }
        }
    }

    static func openAESGCM(_ text: VectorText, _ tally: inout Tally) {
        for vector in text.cases {
            tally.check(vector) {
                if try vector.succeeds(or: "authentication failed") { return try isSealedAndOpened(vector) }
                let box = try SealedBox(
                    nonce: vector.bytes("nonce"), ciphertext: vector.bytes("ciphertext"), tag: vector.bytes("tag"))
                return try Forgery.isRefused {
                    _ = try AESGCM.open(
                        box, key: vector.secret("key"), associatedData: vector.bytes("associatedData"))
                }
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
        for vector in text.cases {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
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
        for vector in text.cases {
            tally.check(vector) {
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
