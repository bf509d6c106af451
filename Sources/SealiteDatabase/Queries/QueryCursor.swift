internal import GRDB
internal import SealiteFunctions
internal import Synchronization

/// The rows of one statement, read in several steps from one snapshot of the database. The rows are those of the
/// snapshot in which the statement started, unaffected by commits meanwhile.
///
/// Any thread may use a cursor, one at a time; ``interrupt()`` may be called from any thread at any time.
package final class QueryCursor: Sendable {
    private let database: Database
    private let connection: CursorConnection
    /// The cursor's statement, until the cursor ends; used on the connection's queue only.
    private let rows: SnapshotRows
    private let isEnded = Mutex(false)
    private let wasInterrupted = Atomic<Bool>(false)

    /// Prepares a statement on a connection that only this cursor uses until its end. The first call of `fetch` starts
    /// it.
    init(_ database: Database, _ sql: String, bind: (borrowing PreparedStatement) throws -> Void) throws {
        try database.checkOpen()
        self.database = database
        let connection = try database.cursors.take()
        self.connection = connection
        do {
            rows = try connection.queue.unsafeRead { handle in
                try connection.growCache(for: sql, handle)
                let statement = try connection.statement(sql, handle)
                try bind(statement)
                return SnapshotRows(statement)
            }
        } catch {
            database.cursors.giveBack(connection)
            throw DatabaseError.mapped(error)
        }
    }

    deinit { end() }

    /// Reads rows until `body` returns true after one, or none is left.
    ///
    /// - Returns: true if more rows may follow; after false the cursor has ended.
    /// - Throws: `cancelled` after ``interrupt()``, `notOpen` if the database was closed, the errors of `body`, and
    ///   errors of the storage; the cursor has ended then.
    package func fetch(_ body: (borrowing PreparedStatement) throws -> Bool) throws -> Bool {
        do {
            try database.checkOpen()
            // After its end, the cursor's connection may belong to another cursor, and this call would wait for that
            // cursor's rows.
            if isEnded.withLock({ $0 }) { return false }
            let more = try connection.queue.unsafeRead { _ in
                try database.checkOpen()
                try checkInterruption()
                return try rows.fetch(body)
            }
            if !more { end() }
            return more
        } catch {
            end()
            throw DatabaseError.mapped(error)
        }
    }

    /// Runs `body` so that all its reads on this thread come from the snapshot that the rows belong to. From its first
    /// row to its end, a cursor keeps that snapshot for other statements, too.
    ///
    /// - Throws: `cancelled` after ``interrupt()``, `notOpen` if the cursor has ended or the database was closed, the
    ///   errors of `body`, and errors of the storage; the cursor stays usable.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try DatabaseError.mapping {
            try database.checkOpen()
            if isEnded.withLock({ $0 }) {
                throw DatabaseError(
                    .notOpen,
                    "the rows of a query, or a snapshot, can't be read any more: reading was ended, or the last row was read"
                )
            }
            return try connection.queue.unsafeRead { handle in
                try database.checkOpen()
                try checkInterruption()
                return try database.readers.withConnection(handle, body)
            }
        }
    }

    /// Returns a statement that the cursor's connection caches. Called on the connection's queue.
    func statement(_ sql: String, _ handle: GRDB.Database) throws -> PreparedStatement {
        try connection.statement(sql, handle)
    }

    /// Runs `body` on the cursor's connection; does nothing if the cursor has ended.
    func onConnection(_ body: () -> Void) throws {
        if isEnded.withLock({ $0 }) { return }
        connection.queue.unsafeRead { _ in body() }
    }

    private func checkInterruption() throws {
        guard wasInterrupted.load(ordering: .acquiring) else { return }
        throw DatabaseError(.cancelled, "the query was cancelled")
    }

    /// Cancels reading: the ``fetch(_:)`` in progress, or the next one, throws `cancelled`.
    package func interrupt() {
        wasInterrupted.store(true, ordering: .releasing)
        // Under the lock, because the connection may belong to another cursor as soon as this one has ended.
        isEnded.withLock { if !$0 { connection.queue.interrupt() } }
    }

    /// Releases the snapshot and the connection. A second call does nothing.
    package func end() {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        guard !wasEnded else { return }
        connection.queue.unsafeRead { _ in rows.end() }
        database.cursors.giveBack(connection)
    }
}

extension Database {
    /// A Boolean value that says whether the calling thread is in a snapshot of this database, which is read-only.
    package var isInSnapshot: Bool { writer.current == nil && readers.current != nil }

    /// Returns a cursor over the rows of a read-only statement, on a connection that no other cursor uses until its
    /// end.
    package func openCursor(_ sql: String, bind: (borrowing PreparedStatement) throws -> Void) throws -> QueryCursor {
        try QueryCursor(self, sql, bind: bind)
    }

    /// Runs `body`, which prepares a query. Outside of a transaction or snapshot its reads on this thread, each of the
    /// state at that time, and its statements use the connection that the next cursor uses, where the statements stay
    /// prepared.
    ///
    /// - Parameter body: receives a function that has SQLite compile a statement.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`, `notOpen`, and errors of the storage.
    package func preparing<Result>(_ body: ((_ sql: String) throws -> Void) throws -> Result) throws -> Result {
        guard !isInTransactionOrSnapshot else { return try body { try checkStatement($0) } }
        return try DatabaseError.mapping {
            try checkOpen()
            let connection = try cursors.take()
            defer { cursors.giveBack(connection) }
            return try connection.queue.unsafeRead { handle in
                try checkOpen()
                return try readers.withConnection(handle) {
                    try body { _ = try connection.statement($0, handle) }
                }
            }
        }
    }

    /// Runs a statement in the calling thread's transaction or snapshot, or on any connection, from its first row to
    /// its last.
    ///
    /// - Parameters:
    ///   - sql: the statement, which only reads.
    ///   - isKept: a Boolean value that says whether the connection caches the statement.
    ///   - bind: binds the statement's parameters.
    ///   - body: reads one row.
    /// - Throws: the errors of `bind` and `body`, `notOpen`, and errors of the storage.
    package func readRows(
        _ sql: String, isKept: Bool = true, bind: (borrowing PreparedStatement) throws -> Void = { _ in },
        _ body: (borrowing PreparedStatement) throws -> Void
    ) throws {
        try reading { connection in
            let statement =
                isKept ? try PreparedStatement(connection, sql) : try PreparedStatement(once: sql, connection)
            try bind(statement)
            // The body may do more work for a row than SQLite does between two looks at the control.
            let control = writer.current?.control
            while try statement.step() {
                try control?.requireNotStopped()
                try body(statement)
            }
        }
    }

    /// Passes the bodies of documents to `visit` without copying them, read in the calling thread's transaction or
    /// snapshot, or on any connection.
    ///
    /// - Parameters:
    ///   - source: the SQL that follows FROM, with a column `body`. Its parameters are numbered from 2 on.
    ///   - isKept: a Boolean value that says whether the connection caches the statement.
    ///   - bind: binds these parameters.
    ///   - visit: receives one body, which is valid during the call only.
    /// - Throws: the errors of `bind` and `visit`, `notOpen`, and errors of the storage.
    package func visitBodies(
        from source: String, isKept: Bool = true, bind: (borrowing PreparedStatement) throws -> Void = { _ in },
        _ visit: (borrowing Span<UInt8>) throws -> Void
    ) throws {
        try withoutActuallyEscaping(visit) { visit in
            let visitor = BodyVisitor(visit)
            do {
                try readRows(
                    "SELECT mongo_visit(?1, body) FROM \(source)", isKept: isKept,
                    bind: { statement in
                        statement.bind(visitor, at: 1)
                        try bind(statement)
                    }
                ) { _ in }
            } catch {
                throw visitor.error ?? error
            }
        }
    }

    /// Returns the number that changes with every change of the tables and indexes of the file.
    /// <https://sqlite.org/pragma.html#pragma_schema_version>
    package func schemaVersion() throws -> Int64 { try reading { try $0.integer("PRAGMA schema_version") } }

    /// Compiles an SQL statement without running it, and throws if that fails.
    package func checkStatement(_ sql: String) throws {
        try reading { _ = try PreparedStatement(once: sql, $0) }
    }

    /// The name of the file without its folder, up to its first dot. Queries accept it as a name of the default
    /// collection.
    package var name: String {
        let file = opener.path.split(separator: "/").last ?? ""
        return String(file.split(separator: ".", omittingEmptySubsequences: false).first ?? "")
    }
}
