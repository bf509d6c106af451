/// The rows of a statement in a held snapshot, read in several steps.
// Sendable: used only inside reads of the snapshot, which run one at a time.
package final class SnapshotRows: @unchecked Sendable {
    private var statement: PreparedStatement?

    init(_ statement: consuming PreparedStatement) { self.statement = consume statement }

    /// Reads rows until `body` returns true after one, or none is left.
    ///
    /// - Returns: true if more rows may follow.
    /// - Throws: the errors of `body`, and errors of the storage; no rows follow then.
    package func fetch(_ body: (borrowing PreparedStatement) throws -> Bool) throws -> Bool {
        guard let statement = statement.take() else { return false }
        while try statement.step() {
            guard try body(statement) else { continue }
            self.statement = consume statement
            return true
        }
        return false
    }

    func end() { statement = nil }
}
