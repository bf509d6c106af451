internal import SealiteFile

/// The result of SQLite's integrity check.
public enum IntegrityOutcome: String, Sendable, Codable {
    /// The content is consistent.
    case ok
    /// The content is inconsistent, or the check stopped with an error; the findings of the verification say why.
    case failed
    /// The check has no result: a page is damaged, SQLite can't open the database, or, in a ``BackupReport``, the check
    /// needs functions or collations of the application.
    case skipped
}
