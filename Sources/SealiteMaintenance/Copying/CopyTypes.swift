public import SealiteFile

/// Options for sealing a plain database. All other properties are those of the plain file.
public struct EncryptionOptions: Sendable {
    /// The page size of the sealed file in bytes, a power of two from 1024 to 65536; nil for the plain file's, or 1024
    /// if that is 512.
    public var pageSize: Int?
    /// The label of the first slot, at most 32 bytes of UTF-8.
    public var label: String
    /// A recovery key, which gets the second slot; nil for none.
    public var recoveryKey: RecoveryKey?
    /// The id of the first slot; nil for a random one.
    package var slotID: [UInt8]?

    /// Creates options. The defaults are the plain file's page size, no label and no recovery slot.
    public init(pageSize: Int? = nil, label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.pageSize = pageSize
        self.label = label
        self.recoveryKey = recoveryKey
    }
}

/// The progress of a copy.
public struct CopyProgress: Sendable, Equatable {
    /// The phases of a copy. The phase determines the unit of the numbers.
    public enum Phase: String, Sendable {
        /// The copy is written. Counts bytes; the total is an estimate.
        case copying
        /// Every table is compared with the source. Counts tables.
        case comparing
    }

    /// The current phase.
    public let phase: Phase
    /// The completed part of the phase.
    public let completed: Int64
    /// The total of the phase.
    public let total: Int64
}

/// A handler called regularly with the progress of a copy. Returning false cancels the copy, which then leaves no file
/// behind.
public typealias CopyProgressHandler = (CopyProgress) -> Bool

/// The result of a copy, which was compared with its source row by row before it got its name.
public struct CopyReport: Sendable, Equatable {
    /// The number of tables compared, including shadow tables of virtual tables and SQLite's own tables.
    public let tableCount: Int
    /// The number of rows compared, in all tables.
    public let rowCount: Int64
    /// The page size of the copy in bytes.
    public let pageSize: Int
    /// The page size of the source in bytes.
    public let sourcePageSize: Int
    /// The journal mode that the copy preserves: "wal", or "delete" for all modes that a file doesn't store.
    public let journalMode: String
    /// The number of reserved bytes at the end of each page of the copy: 48 in a sealed file.
    public let reservedByteCount: Int
    /// The size of the copy in bytes.
    public let byteCount: Int64
}
