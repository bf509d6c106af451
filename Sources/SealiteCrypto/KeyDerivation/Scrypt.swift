/// scrypt (RFC 7914): keys from passphrases.
public enum Scrypt {
    /// What one guess at a passphrase costs: memory 128 · N · r bytes, work N · r · p.
    public struct Cost: Sendable, Hashable {
        /// The binary logarithm of N.
        public let logN: Int
        /// The block size factor.
        public let r: Int
        /// The number of passes.
        public let p: Int

        /// A cost as a file or a user states it; ``check(memoryLimit:)`` and ``Scrypt/deriveKey(passphrase:salt:cost:byteCount:memoryLimit:)``
        /// decide whether it is accepted.
        public init(logN: Int, r: Int = 8, p: Int = 1) {
            self.logN = logN
            self.r = r
            self.p = p
        }

        /// N = 2^17, r = 8, p = 1: 128 MiB and, on a server core of 2020, half a second.
        public static let `default` = Cost(logN: 17)

        /// The memory that a derivation takes, in bytes; nil when the parameters are out of any bounds.
        public var memoryByteCount: Int? { isSane ? (128 << logN) * r : nil }

        /// N · r · p; nil when the parameters are out of any bounds.
        public var work: Int? { isSane ? (1 << logN) * r * p : nil }

        // RFC 7914 §6 asks for N < 2^(128 · r / 8). With these bounds nothing overflows.
        private var isSane: Bool {
            (1...40).contains(logN) && (1...32).contains(r) && (1...16).contains(p) && logN < 16 * r
        }

        /// Refuses a cost before anything is allocated.
        ///
        /// Accepted are N of 2^1 to 2^40 (for r below 3 less, as RFC 7914 says), r up to 32, p up to 16, memory up to the
        /// limit, and work up to 8 times that of the default, or up to what p = 1 makes of the memory limit where that
        /// is more.
        ///
        /// - Throws: `costRefused`, with the numbers.
        public func check(memoryLimit: Int = Scrypt.defaultMemoryLimit) throws(CryptoError) {
            guard let memoryByteCount, let work else {
                throw CryptoError(
                    .costRefused,
                    "scrypt with log2 N \(logN), r \(r), p \(p) is out of bounds: N from 2^1 to 2^40 and below"
                        + " 2^(16 r), r up to 32, p up to 16")
            }
            guard memoryByteCount <= memoryLimit else {
                throw CryptoError(
                    .costRefused,
                    "scrypt with log2 N \(logN), r \(r), p \(p) asks for \(memoryByteCount >> 20) MiB of memory;"
                        + " the limit is \(memoryLimit >> 20) MiB")
            }
            let workLimit = max(Scrypt.workLimit, memoryLimit / 128)
            guard work <= workLimit else {
                throw CryptoError(
                    .costRefused,
                    "scrypt with log2 N \(logN), r \(r), p \(p) asks for work of \(work); the limit is \(workLimit)")
            }
        }
    }

    /// The memory that a derivation may take unless the caller says otherwise: 1 GiB.
    public static let defaultMemoryLimit = 1 << 30

    /// N · r · p that a derivation may take with the default memory limit: 8 times the default cost.
    public static let workLimit = 8 << 20

    /// Derives a key from a passphrase. Blocks for the time the cost says; safe from any thread.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: random, 16 bytes or more, kept with what the key protects.
    ///   - cost: kept with the salt.
    ///   - byteCount: the length of the key, 1 to 1024 bytes.
    ///   - memoryLimit: in bytes; costs above it are refused before anything is allocated.
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
