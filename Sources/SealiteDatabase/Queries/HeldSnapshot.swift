internal import Synchronization

/// One state of a database that is read in several steps: whatever is committed meanwhile, reads inside of ``read(_:)``
/// see the state in which the snapshot was taken. The snapshot occupies a connection until ``end()``.
///
/// Any thread may read, one at a time; ``interrupt()`` may be called from any thread at any time.
package final class HeldSnapshot: Sendable {
    /// A statement that has returned its first row and isn't at its end: while the statement is in progress, its
    /// connection keeps one snapshot of the file. <https://sqlite.org/isolation.html>
    private let holder: QueryCursor
    private let database: Database
    /// The statements in progress, which end before the connection is returned.
    private let open = Mutex<[SnapshotRows]>([])

    /// Takes a snapshot of the committed state.
    init(_ database: Database) throws {
        self.database = database
        holder = try QueryCursor(database, "SELECT name FROM sqlite_schema") { _ in }
        guard try holder.fetch({ _ in true }) else {
            throw DatabaseError(
                .unexpected, "no snapshot can be taken: the file no longer contains a document database",
                hint: "close the database and open it again; if that fails, restore a backup")
        }
    }

    /// Runs `body` so that all its reads on this thread come from the snapshot.
    ///
    /// - Throws: `cancelled` after ``interrupt()``, `notOpen` after ``end()`` or if the database was closed, the errors
    ///   of `body`, and errors of the storage.
    package func read<Result>(_ body: () throws -> Result) throws -> Result { try holder.inSnapshot(body) }

    /// Starts a read-only statement, inside of ``read(_:)``.
    ///
    /// - Returns: the statement's rows, which are read inside of ``read(_:)``, too.
    package func rows(_ sql: String, bind: (borrowing PreparedStatement) throws -> Void) throws -> SnapshotRows {
        guard let connection = database.readers.current else {
            throw DatabaseError(.unexpected, "a statement of a snapshot was started outside of a read of the snapshot")
        }
        let statement = try PreparedStatement(once: sql, connection)
        try bind(statement)
        let rows = SnapshotRows(statement)
        open.withLock { $0.append(rows) }
        return rows
    }

    /// Runs a read-only statement, inside of ``read(_:)``, until `body` returns true after a row or no row is left. The
    /// connection caches the statement, so the same statement must not be started again before this call returns.
    package func forEachRow(
        _ sql: String, bind: (borrowing PreparedStatement) throws -> Void,
        _ body: (borrowing PreparedStatement) throws -> Bool
    ) throws {
        guard let connection = database.readers.current else {
            throw DatabaseError(.unexpected, "a statement of a snapshot was run outside of a read of the snapshot")
        }
        let statement = try holder.statement(sql, connection)
        try bind(statement)
        while try statement.step() { if try body(statement) { return } }
    }

    /// Cancels reading: the read in progress throws `cancelled` at its next row, and every later read throws it
    /// immediately.
    package func interrupt() { holder.interrupt() }

    /// Releases the snapshot and its connection. A second call does nothing.
    package func end() {
        let ending = open.withLock { open in
            defer { open = [] }
            return open
        }
        if !ending.isEmpty { try? holder.onConnection { for rows in ending { rows.end() } } }
        holder.end()
    }

    deinit { end() }
}

extension Database {
    /// Takes a snapshot of the committed state, to be read in several steps.
    package func holdSnapshot() throws -> HeldSnapshot { try HeldSnapshot(self) }
}

/// The rows of a statement of a cursor or of a held snapshot, read in several steps.
// Sendable: used on the connection's queue only, or inside reads of a held snapshot, which run one at a time.
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

    /// Resets the statement, which ends a snapshot that it alone keeps.
    func end() { statement = nil }
}
