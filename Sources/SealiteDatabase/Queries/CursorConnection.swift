internal import GRDB

/// A connection from which query cursors read, with its most recently used prepared statements.
// Sendable: the statements are used on the connection's queue only, and by `deinit`.
final class CursorConnection: @unchecked Sendable {
    /// The maximum number of prepared statements that are kept. GRDB's own cache has no bound, and queries with
    /// literals have ever-changing texts.
    private static let statementLimit = 32

    let queue: DatabaseQueue
    /// A Boolean value that says whether this is the one connection with the large page cache, which is used whenever
    /// it is idle.
    let isFirst: Bool
    /// The prepared statements with their SQL texts, the most recently used one last.
    private var statements: [(sql: String, statement: GRDB.Statement)] = []

    init(_ queue: DatabaseQueue, isFirst: Bool) { (self.queue, self.isFirst) = (queue, isFirst) }

    // The statements are released before the queue, because a connection isn't closed while a statement exists.
    deinit { statements = [] }

    /// Returns the prepared statement for an SQL text, and prepares it if it isn't cached. Called on the connection's
    /// queue.
    func statement(_ sql: String, _ connection: GRDB.Database) throws -> PreparedStatement {
        if let index = statements.firstIndex(where: { $0.sql == sql }) {
            statements.append(statements.remove(at: index))
        } else {
            do {
                statements.append((sql, try connection.makeStatement(sql: sql)))
            } catch {
                throw DatabaseError(storage: error)
            }
            if statements.count > Self.statementLimit { statements.removeFirst() }
        }
        assert(
            statements.count <= Self.statementLimit && statements.last?.sql == sql,
            "the last statement is the one in use")
        guard let last = statements.last else { throw DatabaseError(.unexpected, "no statement could be prepared") }
        return PreparedStatement(last.statement)
    }

    /// Closes the connection, which must be idle.
    func close() throws {
        queue.unsafeRead { _ in statements = [] }
        try queue.close()
    }
}
