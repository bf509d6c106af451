import SealiteCrypto

/// Tests of digests and HMAC.
enum HashingAnswers {
    static func sha1(_ text: VectorText, _ tally: inout Tally) { digests(.sha1, text, &tally) }
    static func sha256(_ text: VectorText, _ tally: inout Tally) { digests(.sha256, text, &tally) }
    static func sha512(_ text: VectorText, _ tally: inout Tally) { digests(.sha512, text, &tally) }

    private static func digests(_ hash: HashFunction, _ text: VectorText, _ tally: inout Tally) {
        tally.checkSuccesses(text) { vector in
            let message = try vector.bytes("message")
            return try unsafe message.withUnsafeBytes { try unsafe hash.digest(of: $0) } == vector.bytes("digest")
        }
    }

    static func hmac(_ text: VectorText, _ tally: inout Tally) {
        tally.check(text) { vector in
            let key = try vector.secret("key")
            let message = try vector.bytes("message")
            let expected = try vector.bytes("code")
            let code = try HMACSHA256.authenticationCode(for: message, key: key)
            if try vector.succeeds(or: "truncated") {
                return try code == expected && isAcceptedAlone(expected, message, key)
            }
            // The RFC truncates this code to 128 bits; a truncated code must not be accepted as valid.
            let isPrefix = expected.count == 16 && code.starts(with: expected)
            return try isPrefix && !HMACSHA256.isValid(expected, for: message, key: key)
        }
    }

    /// Returns whether an authentication code is accepted for the message and every forgery is refused: the code with
    /// any byte changed, a code of another length, and the code of another message.
    private static func isAcceptedAlone(_ code: [UInt8], _ message: [UInt8], _ key: borrowing SecretBytes) throws
        -> Bool
    {
        guard try isAccepted(code, message, key), try !isAccepted(code, message + [0], key) else { return false }
        for forged in [code.dropLast(), code + [0], []] where try isAccepted(Array(forged), message, key) {
            return false
        }
        for forged in Forgery.all(of: code) where try isAccepted(forged, message, key) { return false }
        return true
    }

    /// Returns whether both forms of `HMACSHA256.isValid`, for an array and for a buffer, accept a code; throws
    /// `Disagreement` if only one of them does.
    private static func isAccepted(_ code: [UInt8], _ message: [UInt8], _ key: borrowing SecretBytes) throws -> Bool {
        let isValid = try HMACSHA256.isValid(code, for: message, key: key)
        let isValidInPlace = try unsafe code.withUnsafeBytes { code in
            try unsafe message.withUnsafeBytes { try unsafe HMACSHA256.isValid(code, for: $0, key: key) }
        }
        guard isValid == isValidInPlace else { throw Disagreement() }
        return isValid
    }

    private struct Disagreement: Error, CustomStringConvertible {
        var description: String { "of the code in an array and the same code in a buffer only one is accepted" }
    }
}

/// Tests of HKDF, scrypt and PBKDF2.
enum KeyDerivationAnswers {
    static func hkdf(_ text: VectorText, _ tally: inout Tally) {
        tally.checkSuccesses(text) { vector in
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

    static func scrypt(_ text: VectorText, _ tally: inout Tally) {
        tally.checkSuccesses(text) { vector in
            let expected = try vector.bytes("key")
            let cost = try Scrypt.Cost(logN: vector.number("logN"), r: vector.number("r"), p: vector.number("p"))
            let key = try Scrypt.deriveKey(
                passphrase: vector.secret("passphrase"), salt: vector.bytes("salt"), cost: cost,
                byteCount: expected.count)
            return key.hasBytes(expected)
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
