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

/// How far a backup, a restore or a salvage has come.
public struct BackupProgress: Sendable, Equatable {
    /// What is being done, and so what the numbers count.
    public enum Phase: String, Sendable {
        /// Looking at every page of a damaged file.
        case scanning
        /// Writing the copy. Pages.
        case copying
        /// Reading what was written: every page authenticated, then SQLite's integrity check. Pages.
        case verifying
    }

    /// What is being done.
    public let phase: Phase
    /// How many pages are done in this phase.
    public let completed: Int
    /// How many there are; 0 where nobody knows.
    public let total: Int
}

/// Told now and then how far it has come; returns false to give it up, which leaves nothing behind.
public typealias BackupProgressHandler = (BackupProgress) -> Bool

/// What was backed up, and found sound when it was read again.
public struct BackupReport: Sendable, Equatable, Encodable {
    /// Where the backup lies.
    public let path: String
    /// The backup's own database id, 32 hex digits.
    public let databaseID: String
    /// How many pages it has.
    public let pageCount: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// How often pages had to be copied again because other connections had committed: only with a rollback journal.
    public let catchUpCount: Int
    /// What SQLite's integrity check of the backup said; skipped where it needs functions of the application.
    public let integrity: IntegrityOutcome
    /// The slots of the backup that don't prove who made a file: recovery slots of an earlier version, copied as they are.
    public let warnings: [SlotWarning]
}

/// How a backup is put back.
public struct RestoreOptions: Sendable {
    /// Whether a database in the place may be replaced. What was there is kept under another name, never removed.
    public var replacesExisting: Bool

    /// Replaces nothing, unless told.
    public init(replacesExisting: Bool = false) { self.replacesExisting = replacesExisting }
}

/// What was restored.
public struct RestoreReport: Sendable, Equatable, Encodable {
    /// The database as it was put in place.
    public let backup: BackupReport
    /// Where the files that were in the place before are now; empty where there were none.
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
