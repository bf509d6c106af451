/// PBKDF2 with HMAC (RFC 8018), which derives keys from passphrases, for formats of other programs and if only NIST's
/// algorithms are allowed. Otherwise use ``Scrypt``, with which each guess also costs memory.
public enum PBKDF2 {
    /// The default number of iterations above which a derivation is refused: 20 million.
    public static let defaultIterationLimit = 20_000_000

    /// Derives a key with HMAC-SHA-256. Blocks for the duration of the iterations (600,000: about 0.1 s); safe from any
    /// thread.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: random, 16 bytes or more, stored with the data that the key protects.
    ///   - iterations: the number of iterations, from 1 to the limit.
    ///   - byteCount: the length of the key, 1 to 1024 bytes.
    ///   - iterationLimit: the number of iterations above which the derivation is refused.
    /// - Returns: the key.
    /// - Throws: `costRefused`, `invalidLength`, `openSSLFailure`.
    public static func deriveKey(
        passphrase: borrowing SecretBytes, salt: [UInt8], iterations: Int, byteCount: Int = 32,
        iterationLimit: Int = defaultIterationLimit
    ) throws(CryptoError) -> SecretBytes {
        try deriveKey(
            .sha256, passphrase: passphrase, salt: salt, iterations: iterations, byteCount: byteCount,
            iterationLimit: iterationLimit)
    }

    /// Derives a key with the HMAC of any hash function, under the same limits as with HMAC-SHA-256.
    package static func deriveKey(
        _ hash: HashFunction, passphrase: borrowing SecretBytes, salt: [UInt8], iterations: Int, byteCount: Int,
        iterationLimit: Int = defaultIterationLimit
    ) throws(CryptoError) -> SecretBytes {
        guard iterations >= 1, iterations <= iterationLimit else {
            throw CryptoError(
                .costRefused, "PBKDF2 with \(iterations) iterations is out of bounds: 1 to \(iterationLimit)")
        }
        guard (1...1024).contains(byteCount) else {
            throw CryptoError(.invalidLength, "PBKDF2 derives 1 to 1024 bytes here, not \(byteCount)")
        }
        return try hash.pbkdf2(passphrase: passphrase, salt: salt, iterations: iterations, byteCount: byteCount)
    }
}
