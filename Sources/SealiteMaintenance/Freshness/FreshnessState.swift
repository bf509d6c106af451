import SealiteCrypto
internal import SealiteFile

/// The result of comparing a database with its freshness record.
public enum FreshnessState: Sendable, Equatable {
    /// No record exists at the path, so the state is unknown.
    case noRecord
    /// The database has the recorded numbers or later ones.
    case fresh(recorded: FreshnessRecord, found: FreshnessNumbers)
    /// The database is older than the record, is another database, has another page 1 than the recorded one, or lacks
    /// the key under which the record's MAC is valid; `reason` says which.
    case rolledBack(recorded: FreshnessRecord, found: FreshnessNumbers, reason: String)
}
