/// PBKDF2 with HMAC (RFC 8018): keys from passphrases, for formats of others and where only NIST's list is allowed.
/// Elsewhere ``Scrypt``, whose guesses cost memory too.
public enum PBKDF2 {
    /// The iterations above which a derivation is refused unless the caller says otherwise: 20 million.
    public static let defaultIterationLimit = 20_000_000

    /// Derives a key with HMAC-SHA-256. Blocks for the time the iterations take (600,000: about 0.1 s); safe from any
    /// thread.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: random, 16 bytes or more, kept with what the key protects.
    ///   - iterations: 1 to the limit.
    ///   - byteCount: the length of the key, 1 to 1024 bytes.
    ///   - iterationLimit: iterations above it are refused.
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

    /// As above, with the HMAC of any hash function.
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
