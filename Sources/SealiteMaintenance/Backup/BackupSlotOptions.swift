public import SealiteFile

/// The key slots of a backup that gets new ones instead of the database's.
public struct BackupSlotOptions: Sendable {
    /// The label of the first key slot, at most 32 bytes of UTF-8; empty for none.
    public var label: String
    /// A recovery key, which gets the second key slot; nil for none.
    public var recoveryKey: RecoveryKey?

    /// Creates options. By default the slot has no label and there is no recovery slot.
    public init(label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.label = label
        self.recoveryKey = recoveryKey
    }
}
