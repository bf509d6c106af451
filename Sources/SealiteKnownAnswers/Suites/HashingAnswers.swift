import SealiteCrypto

/// Tests of digests and HMAC.
enum HashingAnswers {
    static func sha1(_ text: VectorText, _ tally: inout Tally) { digests(.sha1, text, &tally) }
    static func sha256(_ text: VectorText, _ tally: inout Tally) { digests(.sha256, text, &tally) }
    static func sha512(_ text: VectorText, _ tally: inout Tally) { digests(.sha512, text, &tally) }

    private static func digests(_ hash: HashFunction, _ text: VectorText, _ tally: inout Tally) {
        for vector in text.cases {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
                let message = try vector.bytes("message")
                return try unsafe message.withUnsafeBytes { try unsafe hash.digest(of: $0) } == vector.bytes("digest")
            }
        }
    }

    static func hmac(_ text: VectorText, _ tally: inout Tally) {
        for vector in text.cases {
            tally.check(vector) {
                let key = try vector.secret("key")
                let message = try vector.bytes("message")
                let expected = try vector.bytes("code")
                let code = try HMACSHA256.authenticationCode(for: message, key: key)
                if try vector.succeeds(or: "truncated") {
                    return try code == expected && HMACSHA256.isValid(expected, for: message, key: key)
                }
                // The RFC truncates this code to 128 bits; a truncated code must not be accepted as valid.
                let isPrefix = expected.count == 16 && code.starts(with: expected)
                return try isPrefix && !HMACSHA256.isValid(expected, for: message, key: key)
            }
        }
    }
}
