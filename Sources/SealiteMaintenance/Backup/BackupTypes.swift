public import SealiteFile

/// The key slots of a backup that gets new ones instead of the database's.
public struct BackupSlotOptions: Sendable {
    /// The label of the first slot, at most 32 bytes of UTF-8.
    public var label: String
    /// A recovery key, which gets the second slot; nil for none.
    public var recoveryKey: RecoveryKey?

    /// Creates options. By default the slot has no label and there is no recovery slot.
    public init(label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.label = label
        self.recoveryKey = recoveryKey
    }
}

/// The progress of a backup, a restore or a salvage.
public struct BackupProgress: Sendable, Equatable {
    /// The phases of the work. The phase determines the unit of the numbers.
    public enum Phase: String, Sendable {
        /// Every page of a damaged file is examined. Counts pages.
        case scanning
        /// The copy is written. Counts pages.
        case copying
        /// The copy is read again: every page is authenticated, then SQLite's integrity check runs. Counts pages.
        case verifying
    }

    /// The current phase.
    public let phase: Phase
    /// The number of pages completed in this phase.
    public let completed: Int
    /// The total number of pages in this phase; 0 if it isn't known.
    public let total: Int
}

/// A handler called regularly with the progress. Returning false cancels the work, which then leaves no file behind.
public typealias BackupProgressHandler = (BackupProgress) -> Bool

/// The result of a backup that was read again and found intact.
public struct BackupReport: Sendable, Equatable, Encodable {
    /// The path of the backup.
    public let path: String
    /// The backup's own database id, 32 hex digits.
    public let databaseID: String
    /// The number of pages in the backup.
    public let pageCount: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The number of passes in which changed pages were copied again because other connections had committed; only in
    /// rollback-journal mode.
    public let catchUpCount: Int
    /// The result of SQLite's integrity check of the backup; skipped if the check needs functions of the application.
    public let integrity: IntegrityOutcome
    /// Warnings about slots of the backup that don't prove who created the file: recovery slots of an earlier version,
    /// copied unchanged.
    public let warnings: [SlotWarning]
}

/// Options for restoring a backup.
public struct RestoreOptions: Sendable {
    /// A Boolean value that says whether an existing database may be replaced. It is renamed, never removed.
    public var replacesExisting: Bool

    /// Creates options. By default nothing is replaced.
    public init(replacesExisting: Bool = false) { self.replacesExisting = replacesExisting }
}

/// The result of a restore.
public struct RestoreReport: Sendable, Equatable, Encodable {
    /// The result of copying and checking the restored database.
    public let backup: BackupReport
    /// The new paths of the files that existed at the path before; empty if there were none.
    public let keptPaths: [String]
    /// The database id of the replaced database, from its header, unauthenticated; nil if there was none. Whatever is
    /// bound to that id doesn't match the restored database, which has a new one.
    public let replacedDatabaseID: String?
    /// The key slots that the restored database has and the replaced one didn't, for example because they were removed
    /// since the backup.
    public let returnedSlots: [SlotInfo]
    /// The key slots that the replaced database had and the restored one doesn't: their secrets don't open it.
    public let missingSlots: [SlotInfo]
    /// Warnings about how the backup was unlocked; empty if there are none.
    public let warnings: [SlotWarning]
}

extension SealedFileError {
    static let backupCancelled = SealedFileError(.cancelled, "it was cancelled; nothing was written")
}
