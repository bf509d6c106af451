internal import GRDB
internal import SealiteFile
internal import Synchronization

/// Runs the transactions that change one database, one at a time, on the connection for writing.
final class Writer: Sendable {
    private let file: OpenFile
    private let queue: DatabaseQueue
    private let slot = ThreadSlot<Transaction>()
    /// The number of threads and tasks of this process that write or wait for that.
    private let writing = Atomic<Int>(0)
    /// The number of documents written to full-text indexes above which the hash tables that a transaction leaves in
    /// FTS5's memory are so large that they are discarded after the commit.
    private static let manyTexts = 200

    init(_ file: OpenFile, _ queue: DatabaseQueue) {
        self.file = file
        self.queue = queue
    }

    /// The calling thread's transaction; nil if it isn't in one.
    @inline(__always)
    var current: Transaction? { slot.current }

    /// Runs `body` in a transaction: the calling thread's, or a new one, which is committed if `body` returns and
    /// rolled back if it throws, or if the calling thread's ``WriteControl`` stops it. Blocks until other writers of the
    /// file are done.
    func perform<Result>(_ database: Database, _ body: (Transaction) throws -> Result) throws -> Result {
        if let current {
            try current.requireAlive()
            return try body(current)
        }
        let control = WriteControl.current
        let asked = database.metrics?.now
        writing.add(1, ordering: .relaxed)
        defer { writing.subtract(1, ordering: .relaxed) }
        return try DatabaseError.mapping {
            try queue.writeWithoutTransaction { try self.run($0, database, control, asked, body) }
        }
    }

    /// Runs `body` in a transaction of its own, for work that can wait: it doesn't wait for another thread or another
    /// connection that is writing, which may itself wait for the calling thread.
    ///
    /// - Throws: `busy` if somebody else is writing, and the errors of `body`.
    func performIfIdle<Result>(_ database: Database, _ body: (Transaction) throws -> Result) throws -> Result {
        try requireNoTransaction()
        let others = writing.add(1, ordering: .relaxed).oldValue
        defer { writing.subtract(1, ordering: .relaxed) }
        guard others == 0 else {
            throw DatabaseError(.busy, "another thread is changing the database", hint: "try again")
        }
        return try DatabaseError.mapping {
            try queue.writeWithoutTransaction { connection in
                let timeout = database.configuration.busyTimeout.lockMilliseconds
                try connection.run("PRAGMA busy_timeout = 0")
                defer { try? connection.run("PRAGMA busy_timeout = \(timeout)") }
                return try run(connection, database, WriteControl.current, nil, body)
            }
        }
    }

    /// The asynchronous form of ``perform(_:_:)``, which doesn't block the calling task's thread. If the task is
    /// cancelled before the transaction is committed, the transaction is rolled back, and this throws.
    func perform<Result: Sendable>(
        _ database: Database, _ body: @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        let control = WriteControl.current ?? WriteControl()
        let asked = database.metrics?.now
        writing.add(1, ordering: .relaxed)
        defer { writing.subtract(1, ordering: .relaxed) }
        do {
            return try await withTaskCancellationHandler {
                try await queue.writeWithoutTransaction { try self.run($0, database, control, asked, body) }
            } onCancel: {
                control.stop()
            }
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    /// Runs `body` on the writer's connection outside of any transaction, for maintenance. The calling thread's
    /// ``WriteControl`` stops the statements of `body`.
    ///
    /// - Throws: `invalidParameter` if the calling thread is in a transaction, `notOpen`, and the errors of `body`.
    func withoutTransaction<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        try requireNoTransaction()
        let control = WriteControl.current
        writing.add(1, ordering: .relaxed)
        defer { writing.subtract(1, ordering: .relaxed) }
        return try DatabaseError.mapping {
            try queue.writeWithoutTransaction { connection in
                try file.check()
                try control?.requireNotStopped()
                let watch = control.flatMap {
                    ConnectionHandle(connection).watch($0.statements, includesWrites: true)
                }
                defer { watch?.end() }
                return try body(connection)
            }
        }
    }

    /// Checks that the calling thread isn't in a transaction, in which maintenance can't run.
    ///
    /// - Throws: `invalidParameter` if it is.
    func requireNoTransaction() throws(DatabaseError) {
        guard current == nil else {
            throw DatabaseError(.invalidParameter, "maintenance of a database can't run inside a transaction")
        }
    }

    /// Runs a transaction. `asked` is the time at which the caller asked for it; nil for one that doesn't wait.
    private func run<Result>(
        _ connection: GRDB.Database, _ database: Database, _ control: WriteControl?, _ asked: DatabaseMetrics.Time?,
        _ body: (Transaction) throws -> Result
    ) throws -> Result {
        try database.checkOpen()
        return try database.readers.withoutKeptLocks { try runAlone(connection, database, control, asked, body) }
    }

    private func runAlone<Result>(
        _ connection: GRDB.Database, _ database: Database, _ control: WriteControl?, _ asked: DatabaseMetrics.Time?,
        _ body: (Transaction) throws -> Result
    ) throws -> Result {
        assert(slot.current == nil, "a thread has one transaction of a database")
        try begin(connection, database.metrics, asked)
        let transaction = Transaction(connection, database, control)
        do {
            try database.checkVersioning(connection)
            let result = try slot.with(transaction) { try body(transaction) }
            try transaction.requireAlive()
            try transaction.storeVersionClock()
            for part in database.parts { part.willCommit(transaction) }
            transaction.endWatch()
            // After this, only COMMIT itself decides: what it reports is what is in the file.
            try control?.requireNotStopped()
            let metrics = database.metrics
            let committing = metrics?.now
            try connection.run("COMMIT")
            if let metrics, let committing { metrics.committed(since: committing) }
            assert(!transaction.isAlive, "a commit ends the transaction")
            transaction.outcome.end()
            for part in database.parts { part.didCommit(transaction) }
            if transaction.changedIndexes || transaction.writtenTextCount > Self.manyTexts {
                // Reconnects FTS5's virtual tables: otherwise each later commit would traverse the hash tables that
                // FTS5 keeps in memory, which many words have made large. SQLite then parses the whole schema again, in
                // a time that grows with the number of collections.
                try? connection.run("PRAGMA writable_schema = RESET")
            }
            return result
        } catch {
            transaction.endWatch()
            // Must precede the release of the lock, after which other transactions may assign the same purge numbers.
            for part in database.parts { part.willRollBack(transaction) }
            transaction.dropVersionStamp()
            connection.endTransaction("ROLLBACK")
            transaction.outcome.undo()
            database.metrics?.rolledBack()
            throw error
        }
    }

    private func begin(
        _ connection: GRDB.Database, _ metrics: DatabaseMetrics?, _ asked: DatabaseMetrics.Time?
    ) throws {
        guard let metrics, let asked else { return try connection.run("BEGIN IMMEDIATE") }
        do {
            try connection.run("BEGIN IMMEDIATE")
            metrics.began(after: asked)
        } catch {
            if (DatabaseError.mapped(error) as? DatabaseError)?.code == .busy { metrics.gaveUp() }
            throw error
        }
    }

    func close() throws { try DatabaseError.ofStorage { try queue.close() } }
}

extension DatabaseError {
    /// Converts errors of the storage, and the cancellation of a task, to `DatabaseError`s. Other errors, such as those
    /// of the caller's own closures, are returned unchanged.
    static func mapped(_ error: any Error) -> any Error {
        error is GRDB.DatabaseError || error is CancellationError || error is SealedFileError
            ? DatabaseError(storage: error) : error
    }

    /// Runs `body`, and converts its errors as ``mapped(_:)`` does.
    @inline(__always)
    static func mapping<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw mapped(error) }
    }
}
