internal import SealiteDatabase

/// The progress of a migration: told to the application, and asked whether to go on.
struct MigrationReport {
    /// The documents between two reports.
    private static let interval: UInt64 = 1_000

    private let total: UInt64
    private let tell: @Sendable (MigrationProgress) -> Bool
    private var done: UInt64 = 0

    /// A report.
    ///
    /// - Parameters:
    ///   - total: the number of documents that there are.
    ///   - tell: called first with no document done, then after each thousand; returning false gives the migration up.
    init(total: UInt64, _ tell: @escaping @Sendable (MigrationProgress) -> Bool) {
        (self.total, self.tell) = (total, tell)
    }

    /// Tells the beginning.
    func begin() throws(DatabaseError) { try report() }

    /// Counts a document that was looked at.
    mutating func count() throws(DatabaseError) {
        done += 1
        if done.isMultiple(of: Self.interval) { try report() }
    }

    /// Tells the end.
    func finish() throws(DatabaseError) {
        if !done.isMultiple(of: Self.interval) { try report() }
    }

    private func report() throws(DatabaseError) {
        guard tell(MigrationProgress(rowCount: done, totalRowCount: max(total, done))) else {
            throw DatabaseError(.cancelled, "the migration was given up; nothing was changed")
        }
    }
}
