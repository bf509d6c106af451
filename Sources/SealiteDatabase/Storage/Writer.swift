internal import GRDB
internal import SealiteFile

/// Makes the changes of one database: one transaction at a time, on the pool's writer connection.
final class Writer: Sendable {
    private let pool: DatabasePool
    private let slot = ThreadSlot<Transaction>()
    /// A transaction that wrote more documents to full-text indexes leaves large hash tables.
    private static let manyTexts = 200

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// The transaction that the calling thread is in.
    @inline(__always)
    var current: Transaction? { slot.current }

    /// Runs `body` in a transaction: the one the calling thread is in, or a new one, which is committed when `body`
    /// returns and rolled back when it throws. Blocks until other writers of the file are done.
    func perform<Result>(_ database: Database, _ body: (Transaction) throws -> Result) throws -> Result {
        if let current {
            try current.requireAlive()
            return try body(current)
        }
        do {
            return try pool.writeWithoutTransaction { try self.run($0, database, body) }
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    /// The asynchronous form of ``perform(_:_:)``, which doesn't block the calling task's thread.
    func perform<Result: Sendable>(
        _ database: Database, _ body: @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await pool.writeWithoutTransaction { try self.run($0, database, body) }
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    /// Runs `body` on the writer's connection outside of any transaction: for maintenance.
    func withoutTransaction<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        guard current == nil else {
            throw DatabaseError(.invalidParameter, "this can't be done inside a transaction")
        }
        do {
            return try pool.writeWithoutTransaction(body)
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    private func run<Result>(
        _ connection: GRDB.Database, _ database: Database, _ body: (Transaction) throws -> Result
    ) throws -> Result {
        try database.checkOpen()
        return try database.readers.withoutKeptLocks { try runAlone(connection, database, body) }
    }

    private func runAlone<Result>(
        _ connection: GRDB.Database, _ database: Database, _ body: (Transaction) throws -> Result
    ) throws -> Result {
        try connection.run("BEGIN IMMEDIATE")
        let transaction = Transaction(connection, database)
        do {
            let result = try slot.with(transaction) { try body(transaction) }
            try transaction.requireAlive()
            try transaction.storeVersionClock()
            database.willCommit(transaction)
            try connection.run("COMMIT")
            transaction.fate.end()
            database.didCommit(transaction)
            if transaction.changedSchema || transaction.writtenTextCount > Self.manyTexts {
                // Connects FTS5's tables anew: each later commit would go through their hash tables, which many
                // words have made large.
                try? connection.run("PRAGMA writable_schema = RESET")
            }
            return result
        } catch {
            // Before the lock is let go of: the numbers of purges are then given to others.
            database.willRollBack(transaction)
            transaction.dropVersionStamp()
            connection.endTransaction("ROLLBACK")
            transaction.fate.undo()
            throw error
        }
    }

    func close() throws {
        do {
            try pool.close()
        } catch {
            throw DatabaseError(storage: error)
        }
    }
}

extension DatabaseError {
    /// Errors of the storage become ours; errors of the caller's own closures stay what they are.
    static func mapped(_ error: any Error) -> any Error {
        error is GRDB.DatabaseError || error is CancellationError || error is SealedFileError
            ? DatabaseError(storage: error) : error
    }
}
