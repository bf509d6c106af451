internal import SealiteFile

/// A handler called regularly with the progress. Returning false cancels the work, which then leaves no file behind.
public typealias BackupProgressHandler = (BackupProgress) -> Bool

extension SealedFileError {
    static let backupCancelled = SealedFileError(.cancelled, "it was cancelled; nothing was written")
}
