/// The progress of the migration of a database to the present format, of the rebuild of an index, or of the migration
/// of documents to another schema.
public struct MigrationProgress: Sendable, Equatable {
    /// The number of documents' rows that have been rewritten or examined; tombstones count only in a migration of the
    /// format.
    public let rowCount: UInt64
    /// The number of all documents' rows that are to be rewritten or examined; tombstones count only in a migration of
    /// the format.
    public let totalRowCount: UInt64

    package init(rowCount: UInt64, totalRowCount: UInt64) {
        (self.rowCount, self.totalRowCount) = (rowCount, totalRowCount)
    }
}
