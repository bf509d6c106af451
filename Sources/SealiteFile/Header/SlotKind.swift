internal import SealiteCrypto

/// The kind of secret that opens a key slot.
public enum SlotKind: UInt32, Sendable, CaseIterable {
    /// A passphrase, stretched by scrypt.
    case passphrase = 1
    /// 32 random bytes.
    case rawKey = 2
    /// An X25519 private key kept on paper, in a slot written by an earlier version of Sealite. The header holds the
    /// public half, from which anyone can create a whole file with such a slot. No longer created.
    case unauthenticatedRecovery = 3
    /// An X25519 private key kept on paper; the header holds its public half. Writing such a slot takes the private key
    /// or, for a slot that the file already has, the file's master key.
    case recovery = 4

    /// The name that the command line and JSON reports use.
    public var name: String {
        switch self {
        case .passphrase: "passphrase"
        case .rawKey: "raw-key"
        case .unauthenticatedRecovery: "recovery-unauthenticated"
        case .recovery: "recovery"
        }
    }

    /// A Boolean value that says whether a recovery key opens slots of this kind.
    public var isRecovery: Bool { self == .recovery || self == .unauthenticatedRecovery }
}
