import SealiteCrypto
internal import SealiteFile

/// The handling of a freshness record, a file with the last known state of a database, when the database is opened.
public struct FreshnessPolicy: Sendable {
    /// The record's path. Don't keep it beside the database, where somebody who restores an old database can restore an
    /// old record too.
    public var recordPath: String
    /// A Boolean value that says whether a record is created if none exists. If false, a missing record is an error.
    public var makesFirstRecord: Bool
    /// A Boolean value that says whether a database that is older than its record, or doesn't match it for another
    /// reason, is opened too, as after a deliberate restore. A new record then replaces the old one.
    public var acceptsRollback: Bool

    /// Creates a policy for the record at a path. By default a missing record and a rollback are errors.
    public init(recordPath: String, makesFirstRecord: Bool = false, acceptsRollback: Bool = false) {
        self.recordPath = recordPath
        self.makesFirstRecord = makesFirstRecord
        self.acceptsRollback = acceptsRollback
    }
}
