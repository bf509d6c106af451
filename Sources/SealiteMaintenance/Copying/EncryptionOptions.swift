public import SealiteFile

/// Options for sealing a plain database. All other properties of the sealed file are those of the plain one.
public struct EncryptionOptions: Sendable {
    /// The page size of the sealed file in bytes, a power of two from 1024 to 65536; nil for the page size of the plain
    /// file, or 1024 if the plain file's is 512.
    public var pageSize: Int?
    /// The label of the first key slot, at most 32 bytes of UTF-8; empty for none.
    public var label: String
    /// A recovery key, which gets the second key slot; nil for none.
    public var recoveryKey: RecoveryKey?
    /// The id of the first key slot, 16 bytes; nil for a random one.
    package var slotID: [UInt8]?

    /// Creates options. The defaults are the plain file's page size, no label and no recovery slot.
    public init(pageSize: Int? = nil, label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.pageSize = pageSize
        self.label = label
        self.recoveryKey = recoveryKey
    }
}
