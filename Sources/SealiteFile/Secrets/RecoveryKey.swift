public import SealiteCrypto

/// A recovery key: the private half that a person keeps on paper, and the public half that a key slot carries.
/// `Documentation/FORMAT.md` §5.3 to §5.5.
///
/// A class, so that options and secrets of slots share one copy of the private half, wiped when the last of them lets go. Any
/// thread may use it.
public final class RecoveryKey: Sendable {
    /// When a recovery key was made: before or after recovery slots proved who made them. Its form on paper says so.
    public enum Edition: Int, Sendable, CaseIterable {
        /// Made by an earlier version, which gave it slots of kind `unauthenticatedRecovery`. Such a key opens slots of both kinds.
        case first = 1
        /// Made when those slots weren't made any more: where one carries this key's public half, it is a forgery.
        case second = 2
    }

    /// The public half, 32 bytes. Not a secret.
    public let publicKey: [UInt8]
    /// When the key was made.
    public let edition: Edition
    let privateKey: SecretBytes

    /// Makes a new, random key.
    ///
    /// - Throws: `SealedFileError`: `internalFailure` where the system gives no random bytes.
    public convenience init() throws(SealedFileError) {
        try self.init(
            privateKey: try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try SecretBytes.random(byteCount: 32)
            })
    }

    /// The key whose private half is known. A key that was kept on paper is read by ``SecretFile/recoveryKey()`` or
    /// ``SecretText/recoveryKey(from:)``, which know its edition.
    ///
    /// - Parameters:
    ///   - privateKey: 32 bytes.
    ///   - edition: when the key was made; `.first` only for one that an earlier version made.
    /// - Throws: `SealedFileError`: `invalidArgument` for another length, `internalFailure` for bytes that are no X25519 key.
    public init(privateKey: consuming SecretBytes, edition: Edition = .second) throws(SealedFileError) {
        guard privateKey.byteCount == HPKE.keyByteCount else {
            throw SealedFileError(
                .invalidArgument, "a recovery key has \(HPKE.keyByteCount) bytes, not \(privateKey.byteCount)")
        }
        var publicKey: [UInt8] = []
        var failure: CryptoError?
        do throws(CryptoError) { publicKey = try HPKE.publicKey(for: privateKey) } catch { failure = error }
        if let failure { throw SealedFileError(crypto: failure) }
        self.publicKey = publicKey
        self.edition = edition
        self.privateKey = privateKey
    }

    /// The fingerprint of the public half, 32 hex digits, as ``SlotInfo/fingerprint`` gives it for a slot.
    public var fingerprint: String { Self.fingerprint(of: publicKey) }

    /// The fingerprint of a public key: 16 bytes of a SHA-256, in 32 hex digits.
    static func fingerprint(of publicKey: [UInt8]) -> String {
        // Hashing fails only where OpenSSL does; an empty fingerprint names no slot.
        let digest = (try? SHA256.digest(of: Array("Sealite recovery public key".utf8) + publicKey)) ?? []
        return Array(digest.prefix(16)).hex
    }

    /// What goes on paper: 56 characters of base32 in 14 groups.
    ///
    /// - Throws: `SealedFileError`: `internalFailure`.
    /// - Returns: 69 bytes of ASCII.
    public func paperForm() throws(SealedFileError) -> SecretBytes {
        try SecretText.paperForm(of: self)
    }
}
