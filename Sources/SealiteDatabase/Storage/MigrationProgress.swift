/// The progress of the migration of a database to the present format, or of its documents to another schema.
public struct MigrationProgress: Sendable, Equatable {
    /// The number of documents' rows that have been rewritten or examined, tombstones included.
    public let rowCount: UInt64
    /// The number of all documents' rows that the migration rewrites or examines, tombstones included.
    public let totalRowCount: UInt64

    package init(rowCount: UInt64, totalRowCount: UInt64) {
        (self.rowCount, self.totalRowCount) = (rowCount, totalRowCount)
    }
}
