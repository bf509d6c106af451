public import SealiteCrypto

/// A recovery key: the private half that a person keeps on paper, and the public half that gets a key slot.
/// `Documentation/FORMAT.md` §5.3.
public struct RecoveryKey: ~Copyable, Sendable {
    /// 32 bytes, for `NewSlotSecret.recovery(publicKey:)`.
    public let publicKey: [UInt8]
    private let privateKey: SecretBytes

    /// Makes a new, random key.
    ///
    /// - Throws: `SealedFileError`: `internalFailure` where the system gives no random bytes.
    public init() throws(SealedFileError) {
        try self.init(
            privateKey: try SlotOpening.mapped { () throws(CryptoError) in try SecretBytes.random(byteCount: 32) })
    }

    /// The key whose private half is known.
    ///
    /// - Throws: `SealedFileError`: `internalFailure` for bytes that are no X25519 key.
    public init(privateKey: consuming SecretBytes) throws(SealedFileError) {
        var publicKey: [UInt8] = []
        var failure: CryptoError?
        do throws(CryptoError) { publicKey = try HPKE.publicKey(for: privateKey) } catch { failure = error }
        if let failure { throw SealedFileError(crypto: failure) }
        self.publicKey = publicKey
        self.privateKey = privateKey
    }

    /// What goes on paper: 56 characters of base32 in 14 groups.
    ///
    /// - Throws: `SealedFileError`: `internalFailure`.
    /// - Returns: 69 bytes of ASCII.
    public func paperForm() throws(SealedFileError) -> SecretBytes {
        try SecretText.paperForm(ofRecoveryKey: privateKey)
    }
}
