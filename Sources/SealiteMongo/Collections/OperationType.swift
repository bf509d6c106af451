internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The kind of a change that a ``ChangeStreamEvent`` reports.
public enum OperationType: String, Codable, Sendable, Hashable {
    /// A document was inserted.
    case insert
    /// A document was changed.
    case update
    /// A document was replaced; or it was changed, and its former content isn't known.
    case replace
    /// A document was deleted or purged, or it expired.
    case delete
}
