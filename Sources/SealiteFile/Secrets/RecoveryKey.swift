public import SealiteCrypto

/// A recovery key: the private half, kept on paper, and the public half, which a key slot carries.
/// `Documentation/FORMAT.md` §5.3 and §5.4.
///
/// A class, so that options and slot secrets share one copy of the private half, which is wiped when the last reference
/// is released. Thread-safe.
public final class RecoveryKey: Sendable {
    /// The public half, 32 bytes. Not a secret.
    public let publicKey: [UInt8]
    let privateKey: SecretBytes

    /// Generates a random key.
    ///
    /// - Throws: `SealedFileError`: `internalFailure` if the system provides no random bytes.
    public convenience init() throws(SealedFileError) {
        try self.init(
            privateKey: try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try SecretBytes.random(byteCount: 32)
            })
    }

    /// Creates a key from its private half. Use ``SecretFile/recoveryKey()`` or ``SecretText/recoveryKey(from:)`` for a
    /// key on paper: they check that it was copied without a mistake.
    ///
    /// - Parameter privateKey: 32 bytes.
    /// - Throws: `SealedFileError`: `invalidArgument` for another length, `internalFailure` for bytes that are no
    /// X25519 key.
    public init(privateKey: consuming SecretBytes) throws(SealedFileError) {
        guard privateKey.byteCount == HPKE.keyByteCount else {
            throw SealedFileError(
                .invalidArgument, "a recovery key has \(HPKE.keyByteCount) bytes, not \(privateKey.byteCount)")
        }
        var publicKey: [UInt8] = []
        var failure: CryptoError?
        do throws(CryptoError) { publicKey = try HPKE.publicKey(for: privateKey) } catch { failure = error }
        if let failure { throw SealedFileError(crypto: failure) }
        assert(publicKey.count == HPKE.keyByteCount)
        self.publicKey = publicKey
        self.privateKey = privateKey
    }

    /// The fingerprint of the public half, 32 hex digits, in the same form as ``SlotInfo/fingerprint``.
    public var fingerprint: String { Self.fingerprint(of: publicKey) }

    /// Returns the fingerprint of a public key: 16 bytes of a SHA-256, as 32 hex digits.
    static func fingerprint(of publicKey: [UInt8]) -> String {
        // Hashing fails only if OpenSSL does; an empty fingerprint matches no slot.
        let digest = (try? SHA256.digest(of: Array("Sealite recovery public key".utf8) + publicKey)) ?? []
        return Array(digest.prefix(16)).hex
    }

    /// Returns the text for paper: 56 characters of base32 in 14 groups.
    ///
    /// - Throws: `SealedFileError`: `internalFailure`.
    /// - Returns: 69 bytes of ASCII.
    public func paperForm() throws(SealedFileError) -> SecretBytes {
        try SecretText.paperForm(of: self)
    }
}
