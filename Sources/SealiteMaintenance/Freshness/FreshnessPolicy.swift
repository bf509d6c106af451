import SealiteCrypto
internal import SealiteFile

/// The handling of a freshness record when a database is opened.
public struct FreshnessPolicy: Sendable {
    /// The record's path. Don't keep it beside the database, where somebody who restores an old database can restore an
    /// old record too.
    public var recordPath: String
    /// A Boolean value that says whether a record is created if none exists. If false, a missing record is an error.
    public var makesFirstRecord: Bool
    /// A Boolean value that says whether a rolled-back database is opened too and recorded, as after a deliberate
    /// restore.
    public var acceptsRollback: Bool

    /// Creates a policy for the record at a path. By default a missing record and a rollback are errors.
    public init(recordPath: String, makesFirstRecord: Bool = false, acceptsRollback: Bool = false) {
        self.recordPath = recordPath
        self.makesFirstRecord = makesFirstRecord
        self.acceptsRollback = acceptsRollback
    }
}
