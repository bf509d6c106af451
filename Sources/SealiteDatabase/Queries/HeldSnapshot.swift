internal import Synchronization

/// One state of a database that is read in parts: whatever is committed meanwhile, all that is read inside of ``read(_:)`` is of the state in which
/// the snapshot was taken. It has a connection of its own until ``end()``.
///
/// Any thread may read, one at a time; ``interrupt()`` may be called from any thread at any time.
package final class HeldSnapshot: Sendable {
    /// A statement that has given its first row and isn't at its end: as long as it is under way its connection stays in one state of the
    /// file. <https://sqlite.org/isolation.html>
    private let holder: QueryCursor
    private let database: Database
    /// The statements that were begun, which end before the connection is given back.
    private let open = Mutex<[SnapshotRows]>([])

    /// Takes a snapshot of what is committed.
    init(_ database: Database) throws {
        self.database = database
        holder = try QueryCursor(database, "SELECT name FROM sqlite_schema") { _ in }
        guard try holder.fetch({ _ in true }) else {
            throw DatabaseError(.unexpected, "the database has no tables to take a snapshot of")
        }
    }

    /// Runs `body` with all its reads on this thread coming from the snapshot.
    ///
    /// - Throws: `cancelled` after ``interrupt()``, `notOpen` after ``end()`` or where the database was closed, what `body` throws, and what the storage
    ///   throws.
    package func read<Result>(_ body: () throws -> Result) throws -> Result { try holder.inSnapshot(body) }

    /// Begins a statement that only reads, inside of ``read(_:)``.
    ///
    /// - Returns: its rows, which are read inside of ``read(_:)``, too.
    package func rows(
        _ sql: String, bind: (borrowing PreparedStatement) throws -> Void
    ) throws -> SnapshotRows {
        guard let connection = database.readers.current else {
            throw DatabaseError(.unexpected, "a statement of a snapshot is begun outside of a read of it")
        }
        let statement = try PreparedStatement(once: sql, connection)
        try bind(statement)
        let rows = SnapshotRows(statement)
        open.withLock { $0.append(rows) }
        return rows
    }

    /// Runs a statement that only reads, inside of ``read(_:)``, until `body` returns true after a row or none is left. The connection keeps the statement
    /// for another use, which must not come before this one ends.
    package func forEachRow(
        _ sql: String, bind: (borrowing PreparedStatement) throws -> Void,
        _ body: (borrowing PreparedStatement) throws -> Bool
    ) throws {
        guard let connection = database.readers.current else {
            throw DatabaseError(.unexpected, "a statement of a snapshot is run outside of a read of it")
        }
        let statement = try holder.statement(sql, connection)
        try bind(statement)
        while try statement.step() { if try body(statement) { return } }
    }

    /// Makes the reading that is under way throw `cancelled` at the next row that it asks for, and the next one at once.
    package func interrupt() { holder.interrupt() }

    /// Gives the snapshot and its connection back. A second call does nothing.
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

/// The rows of a statement in a held snapshot, read in parts.
// Sendable: used inside of reads of its snapshot alone, which run one at a time.
package final class SnapshotRows: @unchecked Sendable {
    private var statement: PreparedStatement?

    init(_ statement: consuming PreparedStatement) { self.statement = consume statement }

    /// Reads rows until `body` returns true after one, or none is left.
    ///
    /// - Returns: true where more rows may follow.
    /// - Throws: what `body` throws, and what the storage throws; no rows follow then.
    package func fetch(_ body: (borrowing PreparedStatement) throws -> Bool) throws -> Bool {
        guard let statement = statement.take() else { return false }
        while try statement.step() {
            guard try body(statement) else { continue }
            self.statement = consume statement
            return true
        }
        return false
    }

    fileprivate func end() { statement = nil }
}

extension Database {
    /// Takes a snapshot of what is committed, which is read in parts.
    package func holdSnapshot() throws -> HeldSnapshot { try HeldSnapshot(self) }
}
