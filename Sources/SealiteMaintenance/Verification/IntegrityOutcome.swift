internal import SealiteFile

/// The result of SQLite's integrity check.
public enum IntegrityOutcome: String, Sendable, Codable {
    /// The content is consistent.
    case ok
    /// The content is inconsistent; see the findings.
    case failed
    /// The check wasn't run, since a part that it reads is damaged.
    case skipped
}
