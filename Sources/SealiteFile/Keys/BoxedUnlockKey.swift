import SealiteCrypto

/// An unlock key that travels through closures. It is taken out once.
package final class BoxedUnlockKey: Sendable {
    private let kind: SlotKind
    private let box: SecretBox

    package init(_ key: consuming UnlockKey) {
        kind = key.kind
        switch consume key {
        case .passphrase(let secret): box = SecretBox(secret)
        case .rawKey(let secret): box = SecretBox(secret)
        case .recoveryKey(let secret): box = SecretBox(secret)
        }
    }

    static let emptied = SealedFileError(.internalFailure, "the key was used already")

    /// Takes the key out.
    package func take() throws(SealedFileError) -> UnlockKey {
        guard let secret = box.take() else { throw Self.emptied }
        switch kind {
        case .passphrase: return .passphrase(secret)
        case .rawKey: return .rawKey(secret)
        case .recovery, .unauthenticatedRecovery: return .recoveryKey(secret)
        }
    }
}
