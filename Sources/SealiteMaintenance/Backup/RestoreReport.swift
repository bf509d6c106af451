public import SealiteFile

/// The result of a restore.
public struct RestoreReport: Sendable, Equatable, Encodable {
    /// The result of copying and checking the restored database.
    public let backup: BackupReport
    /// The new paths of the files that the restore replaced, which are the database and its log, journal and rotation
    /// sidecar as far as they existed; empty if there were none.
    public let keptPaths: [String]
    /// The database id of the replaced database, from its header, unauthenticated; nil if there was none or its header
    /// can't be read. Data that is bound to this id doesn't match the restored database, which has a new id.
    public let replacedDatabaseID: String?
    /// The key slots that the restored database has and the replaced database lacked, for example because they were
    /// removed after the backup was made; empty if ``replacedDatabaseID`` is nil.
    public let returnedSlots: [SlotInfo]
    /// The key slots that the replaced database had and the restored database lacks: their secrets don't open the
    /// restored database. Empty if ``replacedDatabaseID`` is nil.
    public let missingSlots: [SlotInfo]
}
