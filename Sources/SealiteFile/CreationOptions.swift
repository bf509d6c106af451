import SealiteCrypto

/// Options for a new sealed database: its page size, which can't be changed later, its auto-vacuum mode and its first
/// key slots.
public struct CreationOptions: Sendable {
    /// The page size in bytes: a power of two from 1024 to 65536.
    public var pageSize: Int
    /// The auto-vacuum mode.
    public var autoVacuum: AutoVacuum
    /// The label of the first key slot, at most 32 bytes of UTF-8; empty for none.
    public var label: String
    /// A recovery key, which gets the second key slot; nil for none.
    public var recoveryKey: RecoveryKey?
    /// The id of the first key slot, 16 bytes; nil for a random one.
    package var slotID: [UInt8]?
    /// The application key of the new file, a random key from which the layers above the file derive keys of their own;
    /// nil for none.
    package var applicationKey: ApplicationKey?

    /// Creates options. The defaults are 4096-byte pages, no auto-vacuum, no label and no recovery slot.
    public init(
        pageSize: Int = SealedPageSize.standard, autoVacuum: AutoVacuum = .none, label: String = "",
        recoveryKey: RecoveryKey? = nil
    ) {
        self.pageSize = pageSize
        self.autoVacuum = autoVacuum
        self.label = label
        self.recoveryKey = recoveryKey
    }
}
