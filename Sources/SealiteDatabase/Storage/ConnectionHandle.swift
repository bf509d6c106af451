internal import CSQLite
internal import GRDB
internal import SealiteFile
internal import SealiteFunctions

/// SQLite's handle of a connection, for calls that accompany every change. GRDB's methods would first check on which
/// queue they are called.
@safe
struct ConnectionHandle {
    private let handle: OpaquePointer?

    init(_ connection: GRDB.Database) { unsafe handle = connection.sqliteConnection }

    /// A Boolean value that says whether a transaction is open. <https://sqlite.org/c3ref/get_autocommit.html>
    @inline(__always)
    var isInsideTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Lets the connection's statements end when their end is requested, until the watch is ended. If `includesWrites` is
    /// true, also VACUUM's last part.
    func watch(_ stop: StatementStop, includesWrites: Bool = false) -> StatementWatch? {
        unsafe handle.map { unsafe StatementWatch($0, stop, includesWrites: includesWrites) }
    }

    /// The numbers of pages that were requested since the connection was opened: those that were in its cache, and
    /// those that weren't. <https://sqlite.org/c3ref/c_dbstatus_options.html>
    var pageCounts: (hits: Int, misses: Int) {
        func value(_ option: CInt) -> Int {
            var (current, highest): (CInt, CInt) = (0, 0)
            unsafe sqlite3_db_status(handle, option, &current, &highest, 0)
            return Int(current)
        }
        return (value(SQLITE_DBSTATUS_CACHE_HIT), value(SQLITE_DBSTATUS_CACHE_MISS))
    }

    /// Runs `body` and interrupts its statements when a counter of their steps is exhausted.
    ///
    /// - Parameters:
    ///   - counter: the counter.
    ///   - valueByteCount: the greatest length of a value in bytes.
    ///   - body: runs the statements.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of `body`.
    func counting<Result>(_ counter: StepCounter, valueByteCount: CInt, _ body: () throws -> Result) throws -> Result {
        let length = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, valueByteCount)
        defer { _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
        return try unsafe counter.run(on: handle, body)
    }
}

extension RawConnection {
    /// Returns what `read` makes of each row of a query, with the values `bind` for its parameters ?1, ?2 and so on.
    func rows<Found>(
        _ sql: String, bind: [SQLValue] = [], read: (borrowing RawRow) -> Found
    ) throws(SealedFileError) -> [Found] {
        var found: [Found] = []
        try query(sql, bind: bind) { (row) throws(SealedFileError) in found.append(read(row)) }
        return found
    }
}

extension RawRow {
    /// Returns the bytes in a column; nil for NULL.
    func optionalBlob(_ column: Int) -> [UInt8]? { kind(column) == .null ? nil : blob(column) }
}

extension GRDB.Database {
    /// Runs a statement without parameters or rows.
    func run(_ sql: String) throws {
        let statement = try PreparedStatement(self, sql)
        try statement.run()
    }

    /// Runs `body` in a write transaction of its own.
    func inTransaction(_ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            endTransaction("ROLLBACK")
            throw error
        }
    }

    /// Ends the transaction in progress, if there is one, with the statement `COMMIT` or `ROLLBACK`. A statement that
    /// fails is repeated, at most twice, because a cancellation may interrupt it too.
    func endTransaction(_ sql: String) {
        for _ in 0..<3 where isInsideTransaction { _ = try? run(sql) }
    }

    /// Runs `body`, whose statements together may take a limited number of steps.
    ///
    /// - Parameters:
    ///   - steps: the number of steps.
    ///   - what: what takes the steps, for the error.
    ///   - body: runs the statements.
    /// - Returns: the result of `body`.
    /// - Throws: `unexpected` if the statements take more steps; the errors of `body`.
    func limited<Result>(
        to steps: Int, _ what: @autoclosure () -> String, _ body: () throws -> Result
    ) throws -> Result {
        assert(steps > 0)
        let counter = StepCounter(steps)
        do {
            return try ConnectionHandle(self).counting(counter, valueByteCount: StepLimit.valueByteCount, body)
        } catch  where counter.isExhausted {
            throw DatabaseError(.unexpected, "\(what()) takes more than \(steps) steps of SQLite")
        }
    }
}

/// Limits on the work of SQL statements whose text a file brings along, in steps of SQLite's virtual machine.
enum StepLimit {
    /// The greatest length of a value, 512 MiB: longer than any document, and half of SQLite's own limit.
    static let valueByteCount: CInt = 512 << 20
    /// The number of steps with which the entries of one document are computed, a second or two.
    static let ofDocument = 100_000_000

    /// Returns the number of steps with which the entries of several documents are computed when nobody asked for it.
    static func ofDocuments(_ count: Int64, byteCount: Int64) -> Int {
        Int(clamping: Int64(exactly: (1e8 + Double(count) * 2_000 + Double(byteCount) * 200).rounded()) ?? .max)
    }
}
