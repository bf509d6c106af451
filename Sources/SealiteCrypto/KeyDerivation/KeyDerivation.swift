/// scrypt (RFC 7914), which derives keys from passphrases.
public enum Scrypt {
    /// The cost of one guess at a passphrase: memory of 128 · N · r bytes, work of N · r · p.
    public struct Cost: Sendable, Hashable {
        /// The binary logarithm of N.
        public let logN: Int
        /// The parameter r of RFC 7914, which multiplies the block size and thus the memory.
        public let r: Int
        /// The parameter p of RFC 7914: the number of independent passes, which multiplies the work and not the memory.
        public let p: Int

        /// Creates a cost as stated by a file or a user. ``check(memoryLimit:)`` and
        /// ``Scrypt/deriveKey(passphrase:salt:cost:byteCount:memoryLimit:)`` decide whether it is accepted.
        public init(logN: Int, r: Int = 8, p: Int = 1) {
            self.logN = logN
            self.r = r
            self.p = p
        }

        /// N = 2^17, r = 8, p = 1: 128 MiB and, on a server core of 2020, half a second.
        public static let `default` = Cost(logN: 17)

        /// The memory of a derivation in bytes; nil if N, r or p is out of the bounds that ``check(memoryLimit:)``
        /// states for it.
        public var memoryByteCount: Int? { isSane ? (128 << logN) * r : nil }

        /// The work N · r · p; nil if N, r or p is out of the bounds that ``check(memoryLimit:)`` states for it.
        public var work: Int? { isSane ? (1 << logN) * r * p : nil }

        // RFC 7914 §6 requires N < 2^(128 · r / 8). Within these bounds nothing overflows.
        private var isSane: Bool {
            (1...40).contains(logN) && (1...32).contains(r) && (1...16).contains(p) && logN < 16 * r
        }

        /// Refuses an excessive cost before any memory is allocated.
        ///
        /// Accepted are N from 2^1 to 2^40 (less for r below 3, according to RFC 7914), r up to 32, p up to 16, memory
        /// up to the limit, and work up to 8 times that of the default, or up to the work that p = 1 allows within the
        /// memory limit if that is more.
        ///
        /// - Throws: `costRefused`, with the numbers.
        public func check(memoryLimit: Int = Scrypt.defaultMemoryLimit) throws(CryptoError) {
            guard let memoryByteCount, let work else {
                throw CryptoError(
                    .costRefused,
                    "scrypt with log2 N \(logN), r \(r), p \(p) is out of bounds: N from 2^1 to 2^40 and below"
                        + " 2^(16 r), r from 1 to 32, p from 1 to 16")
            }
            guard memoryByteCount <= memoryLimit else {
                let needed = (memoryByteCount + (1 << 20) - 1) >> 20
                throw CryptoError(
                    .costRefused,
                    "scrypt with log2 N \(logN), r \(r), p \(p) asks for \(needed) MiB of memory;"
                        + " the limit is \(memoryLimit >> 20) MiB")
            }
            let workLimit = Scrypt.workLimit(memoryLimit: memoryLimit)
            guard work <= workLimit else {
                throw CryptoError(
                    .costRefused,
                    "scrypt with log2 N \(logN), r \(r), p \(p) costs too much time: N * r * p is \(work); the limit is"
                        + " \(workLimit)")
            }
        }
    }

    /// The default limit on the memory of a derivation: 1 GiB.
    public static let defaultMemoryLimit = 1 << 30

    /// The limit on the work N · r · p of a derivation with the default memory limit: 8 times the work of the default
    /// cost.
    public static let workLimit = 8 << 20

    /// Returns the limit on the work N · r · p of a derivation with a limit on its memory in bytes: a higher one than the
    /// default raises it in proportion, since the memory, 128 · N · r bytes, is proportional to the work.
    package static func workLimit(memoryLimit: Int) -> Int { max(workLimit, memoryLimit / 128) }

    /// Derives a key from a passphrase. Blocks for a time that depends on the cost; safe from any thread.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: random, 16 bytes or more, stored with the data that the key protects.
    ///   - cost: the cost, stored with the salt.
    ///   - byteCount: the length of the key, 1 to 1024 bytes.
    ///   - memoryLimit: the limit in bytes; higher costs are refused before any memory is allocated.
    /// - Returns: the key.
    /// - Throws: `costRefused`, `invalidLength`, `outOfMemory`, `openSSLFailure`.
    public static func deriveKey(
        passphrase: borrowing SecretBytes, salt: [UInt8], cost: Cost, byteCount: Int = 32,
        memoryLimit: Int = defaultMemoryLimit
    ) throws(CryptoError) -> SecretBytes {
        try cost.check(memoryLimit: memoryLimit)
        guard (1...1024).contains(byteCount) else {
            throw CryptoError(.invalidLength, "scrypt derives 1 to 1024 bytes here, not \(byteCount)")
        }
        return try deriveWithOpenSSL(passphrase: passphrase, salt: salt, cost: cost, byteCount: byteCount)
    }
}

/// HKDF with SHA-256 (RFC 5869): extract, then expand. It derives keys from keys, and must not be used with
/// passphrases.
public enum HKDF {
    /// Derives a key. Safe from any thread.
    ///
    /// - Parameters:
    ///   - inputKeyMaterial: the key to derive from.
    ///   - salt: a public salt; an empty one means 32 zero bytes.
    ///   - info: the purpose of the key; a different text for each purpose.
    ///   - byteCount: the length of the key, 1 to 8160 bytes.
    /// - Returns: the key.
    /// - Throws: `invalidLength`, `openSSLFailure`.
    public static func deriveKey(
        inputKeyMaterial: borrowing SecretBytes, salt: UnsafeRawBufferPointer, info: [UInt8], byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
        try unsafe HashFunction.sha256.hkdf(
            .extractAndExpand, key: inputKeyMaterial, salt: salt, info: info, byteCount: byteCount)
    }

    /// Derives a key, with a salt in an array.
    ///
    /// - Throws: `invalidLength`, `openSSLFailure`.
    public static func deriveKey(
        inputKeyMaterial: borrowing SecretBytes, salt: [UInt8] = [], info: [UInt8], byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
        try unsafe salt.span.bytes.withUnsafeBytes { salt throws(CryptoError) in
            try unsafe deriveKey(inputKeyMaterial: inputKeyMaterial, salt: salt, info: info, byteCount: byteCount)
        }
    }
}

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
