import SealiteCrypto
internal import SealiteFile

/// The result of comparing a database with its freshness record.
public enum FreshnessState: Sendable, Equatable {
    /// No record exists at the path, so the state is unknown.
    case noRecord
    /// The database is in the recorded state or a later one.
    case fresh(recorded: FreshnessRecord, found: FreshnessNumbers)
    /// The database is in an older state than the recorded one, or is another database.
    case rolledBack(recorded: FreshnessRecord, found: FreshnessNumbers, reason: String)
}
