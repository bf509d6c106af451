/// The progress of the rebuild of an index, or of the migration of documents to another schema.
public struct MigrationProgress: Sendable, Equatable {
    /// The number of documents that have been rewritten or examined.
    public let rowCount: UInt64
    /// The number of all documents that are to be rewritten or examined.
    public let totalRowCount: UInt64

    package init(rowCount: UInt64, totalRowCount: UInt64) {
        (self.rowCount, self.totalRowCount) = (rowCount, totalRowCount)
    }
}
