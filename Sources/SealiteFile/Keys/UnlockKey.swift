public import SealiteCrypto

/// A secret that opens a key slot.
public enum UnlockKey: ~Copyable, Sendable {
    /// A passphrase of 1 to 1024 bytes, used without Unicode normalisation.
    case passphrase(SecretBytes)
    /// A raw key of 32 bytes.
    case rawKey(SecretBytes)
    /// A recovery key, which opens a recovery slot.
    case recoveryKey(RecoveryKey)

    /// The kind of slot that this key may open.
    public var kind: SlotKind {
        switch self {
        case .passphrase: .passphrase
        case .rawKey: .rawKey
        case .recoveryKey: .recovery
        }
    }
}
