public import SealiteCrypto

/// The secret for a new key slot.
public enum NewSlotSecret: ~Copyable, Sendable {
    /// A passphrase and the cost of stretching it.
    case passphrase(NewPassphrase)
    /// A raw key of 32 bytes.
    case rawKey(SecretBytes)
    /// A recovery key. Creating the slot requires the private half, since the public half is readable in every header.
    case recovery(RecoveryKey)

    /// The kind of slot that this secret opens.
    var kind: SlotKind {
        switch self {
        case .passphrase: .passphrase
        case .rawKey: .rawKey
        case .recovery: .recovery
        }
    }
}

extension NewSlotSecret {
    /// Returns the secret of a passphrase slot, so that `.passphrase(bytes)` can be written here as for ``UnlockKey``.
    ///
    /// - Parameters:
    ///   - bytes: a passphrase of 1 to 1024 bytes, used without Unicode normalisation.
    ///   - cost: the cost of opening the slot.
    /// - Returns: the secret.
    public static func passphrase(
        _ bytes: consuming SecretBytes, cost: Scrypt.Cost = .default
    ) -> NewSlotSecret { .passphrase(NewPassphrase(bytes, cost: cost)) }
}

/// A passphrase of 1 to 1024 bytes for a new slot, with the cost of scrypt.
public struct NewPassphrase: ~Copyable, Sendable {
    let bytes: SecretBytes
    let cost: Scrypt.Cost

    /// Creates a passphrase from bytes, without Unicode normalisation.
    public init(_ bytes: consuming SecretBytes, cost: Scrypt.Cost = .default) {
        self.bytes = bytes
        self.cost = cost
    }
}
