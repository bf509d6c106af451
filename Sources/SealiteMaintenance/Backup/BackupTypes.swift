public import SealiteFile

/// The key slots of a backup that gets new ones.
public struct BackupSlotOptions: Sendable {
    /// The label of the first slot, at most 32 bytes of UTF-8.
    public var label: String
    /// A recovery key, which gets the second slot; nil for none.
    public var recoveryKey: RecoveryKey?

    /// No label, no recovery slot.
    public init(label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.label = label
        self.recoveryKey = recoveryKey
    }
}

/// The progress of a backup, a restore or a salvage.
public struct BackupProgress: Sendable, Equatable {
    /// The steps, and so the units that the numbers count.
    public enum Phase: String, Sendable {
        /// Looking at every page of a damaged file.
        case scanning
        /// Writing the copy. Pages.
        case copying
        /// Reading what was written: every page authenticated, then SQLite's integrity check. Pages.
        case verifying
    }

    /// The step under way.
    public let phase: Phase
    /// The number of pages that are done in this phase.
    public let completed: Int
    /// The number of all of them; 0 where it isn't known.
    public let total: Int
}

/// A handler that gets the progress now and then; returns false to give the work up, which leaves nothing behind.
public typealias BackupProgressHandler = (BackupProgress) -> Bool

/// Counts of a backup that was found sound when it was read again.
public struct BackupReport: Sendable, Equatable, Encodable {
    /// The path of the backup.
    public let path: String
    /// The backup's own database id, 32 hex digits.
    public let databaseID: String
    /// The number of its pages.
    public let pageCount: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The number of times that pages were copied again because other connections had committed: only with a rollback journal.
    public let catchUpCount: Int
    /// The outcome of SQLite's integrity check of the backup; skipped where the check needs functions of the application.
    public let integrity: IntegrityOutcome
    /// The slots of the backup that don't prove who made a file: recovery slots of an earlier version, copied as they are.
    public let warnings: [SlotWarning]
}

/// Options for putting a backup back.
public struct RestoreOptions: Sendable {
    /// True where a database in the place may be replaced. The old database is kept under another name, never removed.
    public var replacesExisting: Bool

    /// Replaces nothing, unless told.
    public init(replacesExisting: Bool = false) { self.replacesExisting = replacesExisting }
}

/// The outcome of a restore.
public struct RestoreReport: Sendable, Equatable, Encodable {
    /// The database as it was put in place.
    public let backup: BackupReport
    /// The new paths of the files that were in the place before; empty where there were none.
    public let keptPaths: [String]
    /// The database id of the database that was in the place, as its header said, unchecked; nil where there was none. What is
    /// bound to it doesn't fit the restored database, which has an id of its own.
    public let replacedDatabaseID: String?
    /// Key slots of the restored database that the replaced one didn't have: removed since the backup, perhaps.
    public let returnedSlots: [SlotInfo]
    /// Key slots of the replaced database that the restored one doesn't have: their secrets don't open it.
    public let missingSlots: [SlotInfo]
    /// Warnings for a person about how the backup was unlocked; empty where there is nothing to tell.
    public let warnings: [SlotWarning]
}

extension SealedFileError {
    static let backupCancelled = SealedFileError(.cancelled, "it was given up before its end; nothing was written")
}
