import SealiteCrypto

/// Tests of HKDF, scrypt and PBKDF2.
enum KeyDerivationAnswers {
    static func hkdf(_ text: VectorText, _ tally: inout Tally) {
        for vector in text.cases {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
                let material = try vector.secret("inputKeyMaterial")
                let salt = try vector.bytes("salt")
                let expected = try vector.bytes("key")
                let key = try HKDF.deriveKey(
                    inputKeyMaterial: material, salt: salt, info: vector.bytes("info"), byteCount: expected.count)
                let pseudorandomKey = try unsafe salt.span.bytes.withUnsafeBytes {
                    try unsafe HashFunction.sha256.hkdf(.extract, key: material, salt: $0, info: [], byteCount: 32)
                }
                return try key.hasBytes(expected) && pseudorandomKey.hasBytes(vector.bytes("pseudorandomKey"))
            }
        }
    }

    static func scrypt(_ text: VectorText, _ tally: inout Tally) {
        for vector in text.cases {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
                let expected = try vector.bytes("key")
                let cost = try Scrypt.Cost(logN: vector.number("logN"), r: vector.number("r"), p: vector.number("p"))
                let key = try Scrypt.deriveKey(
                    passphrase: vector.secret("passphrase"), salt: vector.bytes("salt"), cost: cost,
                    byteCount: expected.count)
                return key.hasBytes(expected)
            }
        }
    }

    static func pbkdf2WithSHA256(_ text: VectorText, _ tally: inout Tally) { pbkdf2(.sha256, text, &tally) }
    static func pbkdf2WithSHA1(_ text: VectorText, _ tally: inout Tally) { pbkdf2(.sha1, text, &tally) }

    private static func pbkdf2(_ hash: HashFunction, _ text: VectorText, _ tally: inout Tally) {
        // RFC 6070's case of 16,777,216 iterations takes longer than all others together; the tests run it on request.
        for vector in text.cases where vector["iterations"] != "16777216" {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
                let expected = try vector.bytes("key")
                let key = try PBKDF2.deriveKey(
                    hash, passphrase: vector.secret("passphrase"), salt: vector.bytes("salt"),
                    iterations: vector.number("iterations"), byteCount: expected.count)
                return key.hasBytes(expected)
            }
        }
    }
}
