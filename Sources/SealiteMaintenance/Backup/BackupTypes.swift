internal import SealiteFile

/// A handler called regularly with the progress of a backup, a restore or a salvage. Returning false cancels the work,
/// which then leaves no file behind.
public typealias BackupProgressHandler = (BackupProgress) -> Bool

extension SealedFileError {
    static let backupCancelled = SealedFileError(
        .cancelled, "the backup, restore or salvage was cancelled, and its unfinished file was removed")
}
