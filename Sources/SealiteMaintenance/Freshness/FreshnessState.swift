import SealiteCrypto
internal import SealiteFile

/// The result of comparing a database with its freshness record.
public enum FreshnessState: Sendable, Equatable {
    /// No record exists at the path, so the state is unknown.
    case noRecord
    /// The database has the recorded numbers or later ones.
    case fresh(recorded: FreshnessRecord, found: FreshnessNumbers)
    /// The database has older numbers than the record, or is another database.
    case rolledBack(recorded: FreshnessRecord, found: FreshnessNumbers, reason: String)
}
