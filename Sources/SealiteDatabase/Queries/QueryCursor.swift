internal import GRDB
internal import SealiteFunctions
internal import Synchronization

/// The rows of one statement, read in parts out of one state of the database. Whatever is committed meanwhile, the rows are those of the
/// state in which the statement began.
///
/// Any thread may use a cursor, one at a time; ``interrupt()`` may be called from any thread at any time.
package final class QueryCursor: Sendable {
    /// The statement and its connection.
    ///
    // Sendable: used on the connection's queue only, and `end()` empties it there.
    private final class Work: @unchecked Sendable {
        private var statement: PreparedStatement?
        init(_ statement: consuming PreparedStatement) { self.statement = consume statement }

        /// Reads rows until `body` returns true or none is left; false in the latter case.
        func read(_ body: (borrowing PreparedStatement) throws -> Bool) throws -> Bool {
            guard let statement = statement.take() else { return false }
            while try statement.step() {
                if try body(statement) {
                    self.statement = consume statement
                    return true
                }
            }
            return false
        }

        /// Resets the statement, which ends its snapshot.
        func end() { statement = nil }
    }

    private let database: Database
    private let connection: CursorConnection
    private let work: Work
    private let isEnded = Mutex(false)
    private let wasInterrupted = Atomic<Bool>(false)

    /// Begins a statement on a connection of its own.
    init(_ database: Database, _ sql: String, bind: (borrowing PreparedStatement) throws -> Void) throws {
        try database.checkOpen()
        self.database = database
        let connection = try database.cursors.take()
        self.connection = connection
        do {
            work = try connection.queue.unsafeRead { handle in
                let statement = try connection.statement(sql, handle)
                try bind(statement)
                return Work(statement)
            }
        } catch {
            database.cursors.giveBack(connection)
            throw DatabaseError.mapped(error)
        }
    }

    deinit { end() }

    /// Reads rows until `body` returns true after one, or none is left.
    ///
    /// - Returns: true where more rows may follow; after false the cursor has ended.
    /// - Throws: `cancelled` after ``interrupt()``, `notOpen` where the database was closed, what `body` throws, and what the storage throws; the
    ///   cursor has ended then.
    package func fetch(_ body: (borrowing PreparedStatement) throws -> Bool) throws -> Bool {
        do {
            try database.checkOpen()
            // The connection may be another cursor's by now: whoever waits for it would wait for that one's rows.
            if isEnded.withLock({ $0 }) { return false }
            let more = try connection.queue.unsafeRead { _ in
                try database.checkOpen()
                try checkInterruption()
                return try work.read(body)
            }
            if !more { end() }
            return more
        } catch {
            end()
            throw DatabaseError.mapped(error)
        }
    }

    /// Runs `body` with all its reads on this thread coming from the state that the rows are of. Between its first row and its end a cursor keeps
    /// that state for other statements, too.
    ///
    /// - Throws: `cancelled` after ``interrupt()``, `notOpen` where the cursor has ended or the database was closed, what `body` throws, and what the
    ///   storage throws; the cursor goes on.
    func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            try database.checkOpen()
            if isEnded.withLock({ $0 }) { throw DatabaseError(.notOpen, "the rows were read to their end") }
            return try connection.queue.unsafeRead { handle in
                try database.checkOpen()
                try checkInterruption()
                return try database.readers.withConnection(handle, body)
            }
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    /// Returns a statement that the cursor's connection keeps. On its queue.
    func statement(_ sql: String, _ handle: GRDB.Database) throws -> PreparedStatement {
        try connection.statement(sql, handle)
    }

    /// Runs `body` on the cursor's connection; does nothing where the cursor has ended.
    func onConnection(_ body: () -> Void) throws {
        if isEnded.withLock({ $0 }) { return }
        connection.queue.unsafeRead { _ in body() }
    }

    private func checkInterruption() throws {
        guard wasInterrupted.load(ordering: .acquiring) else { return }
        throw DatabaseError(.cancelled, "the query was cancelled")
    }

    /// Makes the ``fetch(_:)`` that is under way, or the next one, throw `cancelled`.
    package func interrupt() {
        wasInterrupted.store(true, ordering: .releasing)
        // Under the lock: the connection may be another cursor's as soon as this one has ended.
        isEnded.withLock { if !$0 { connection.queue.interrupt() } }
    }

    /// Gives the snapshot and the connection back. A second call does nothing.
    package func end() {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        guard !wasEnded else { return }
        connection.queue.unsafeRead { _ in work.end() }
        database.cursors.giveBack(connection)
    }
}

extension Database {
    /// A Boolean value that says whether the calling thread is in a transaction or a snapshot of this database, in which queries take part.
    package var isInTransactionOrSnapshot: Bool { writer.current != nil || readers.current != nil }

    /// A Boolean value that says whether the calling thread is in a snapshot of this database, in which nothing can be changed.
    package var isInSnapshot: Bool { writer.current == nil && readers.current != nil }

    /// Begins a statement that only reads, on a connection of its own.
    package func openCursor(
        _ sql: String, bind: (borrowing PreparedStatement) throws -> Void
    ) throws -> QueryCursor {
        try QueryCursor(self, sql, bind: bind)
    }

    /// Runs a statement on the calling thread's transaction or snapshot, or on any connection, from its first row to its last.
    ///
    /// - Parameters:
    ///   - sql: the statement, which only reads.
    ///   - isKept: a Boolean value that says whether the connection keeps the statement for another use.
    ///   - bind: binds its parameters.
    ///   - body: reads one row.
    /// - Throws: what `bind` and `body` throw, `notOpen`, and what the storage throws.
    package func readRows(
        _ sql: String, isKept: Bool = true, bind: (borrowing PreparedStatement) throws -> Void = { _ in },
        _ body: (borrowing PreparedStatement) throws -> Void
    ) throws {
        try reading { connection in
            let statement =
                isKept ? try PreparedStatement(connection, sql) : try PreparedStatement(once: sql, connection)
            try bind(statement)
            while try statement.step() { try body(statement) }
        }
    }
}

extension Database {
    /// Shows the bodies of documents to `visit`, without a copy, out of the calling thread's transaction or snapshot, or out of any connection.
    ///
    /// - Parameters:
    ///   - source: what follows FROM, with a column `body`. Its parameters are numbered from 2 on.
    ///   - isKept: a Boolean value that says whether the connection keeps the statement for another use.
    ///   - bind: binds these parameters.
    ///   - visit: looks at one body, which lives as long as the call.
    /// - Throws: what `bind` and `visit` throw, `notOpen`, and what the storage throws.
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
}

extension Database {
    /// The number that changes with every change of the tables and indexes of the file. <https://sqlite.org/pragma.html#pragma_schema_version>
    package func schemaVersion() throws -> Int64 { try reading { try $0.integer("PRAGMA schema_version") } }

    /// Has SQLite read a statement without running it.
    package func checkStatement(_ sql: String) throws {
        try reading { _ = try PreparedStatement(once: sql, $0) }
    }

    /// The name of the file without its folder and extension: a name of the default collection in queries.
    package var name: String {
        let file = opener.path.split(separator: "/").last ?? ""
        return String(file.split(separator: ".", omittingEmptySubsequences: false).first ?? "")
    }
}
