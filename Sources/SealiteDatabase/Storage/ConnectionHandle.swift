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
    func counting<Result>(
        _ counter: StepCounter, valueByteCount: CInt, _ body: () throws -> Result
    ) throws -> Result {
        let length = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, valueByteCount)
        defer { _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
        return try unsafe counter.run(on: handle, body)
    }
}
