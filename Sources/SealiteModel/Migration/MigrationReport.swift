internal import SealiteDatabase

/// Reports the progress of a migration to the application, which may cancel it.
struct MigrationReport {
    /// The number of documents between two reports.
    private static let interval: UInt64 = 1_000

    private let total: UInt64
    private let tell: @Sendable (MigrationProgress) -> Bool
    private var done: UInt64 = 0

    /// Creates the report of a migration.
    ///
    /// - Parameters:
    ///   - total: the number of documents.
    ///   - tell: called before the first document is processed, after every 1,000 documents, and at the end; returning
    ///     false cancels the migration.
    init(total: UInt64, _ tell: @escaping @Sendable (MigrationProgress) -> Bool) {
        (self.total, self.tell) = (total, tell)
    }

    /// Reports that no document has been processed yet.
    ///
    /// - Throws: `cancelled` if the application cancels the migration.
    func begin() throws(DatabaseError) { try report() }

    /// Counts a processed document, and reports the progress after every 1,000 documents.
    ///
    /// - Throws: `cancelled` if the application cancels the migration.
    mutating func count() throws(DatabaseError) {
        done += 1
        if done.isMultiple(of: Self.interval) { try report() }
    }

    /// Reports that all documents have been processed, unless the last report was made after the last document.
    ///
    /// - Throws: `cancelled` if the application cancels the migration.
    func finish() throws(DatabaseError) {
        if !done.isMultiple(of: Self.interval) { try report() }
    }

    private func report() throws(DatabaseError) {
        guard tell(MigrationProgress(rowCount: done, totalRowCount: max(total, done))) else {
            throw DatabaseError(.cancelled, "the migration was cancelled; the database is unchanged")
        }
    }
}
