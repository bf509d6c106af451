public import SealiteFile

/// Options for sealing a plain database. Everything else is kept as the plain file has it.
public struct EncryptionOptions: Sendable {
    /// The page size of the sealed file in bytes, a power of two from 1024 to 65536; nil for that of the plain file, or 1024
    /// where that is 512.
    public var pageSize: Int?
    /// The label of the first slot, at most 32 bytes of UTF-8.
    public var label: String
    /// A recovery key, which gets the second slot; nil for none.
    public var recoveryKey: RecoveryKey?
    /// The id of the first slot; nil for a random one.
    package var slotID: [UInt8]?

    /// The plain file's page size, no label, no recovery slot.
    public init(pageSize: Int? = nil, label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.pageSize = pageSize
        self.label = label
        self.recoveryKey = recoveryKey
    }
}

/// The progress of a copy.
public struct CopyProgress: Sendable, Equatable {
    /// The steps, and so the units that the numbers count.
    public enum Phase: String, Sendable {
        /// Writing the copy; the numbers are bytes, the total is an estimate.
        case copying
        /// Comparing every table with the source; the numbers are tables.
        case comparing
    }

    /// The step under way.
    public let phase: Phase
    /// The part of the step that is done.
    public let completed: Int64
    /// The whole step.
    public let total: Int64
}

/// A handler that gets the progress of a copy now and then; returns false to give the copy up, which leaves nothing behind.
public typealias CopyProgressHandler = (CopyProgress) -> Bool

/// Counts of a copy, which was compared with its source row by row before it got its name.
public struct CopyReport: Sendable, Equatable {
    /// The tables compared, shadow tables of virtual tables and SQLite's own included.
    public let tableCount: Int
    /// The rows compared, over all tables.
    public let rowCount: Int64
    /// The page size of the copy in bytes.
    public let pageSize: Int
    /// The page size of the source in bytes.
    public let sourcePageSize: Int
    /// The journal mode that the copy keeps: "wal", or "delete" for all that a file doesn't remember.
    public let journalMode: String
    /// The number of bytes at the end of each page of the copy that SQLite leaves alone: 48 in a sealed file.
    public let reservedByteCount: Int
    /// The size of the copy in bytes.
    public let byteCount: Int64
}
