internal import CSQLite
internal import GRDB
internal import SealiteFunctions

/// A connection handle for queries that accompany every change. GRDB would first check on which queue it is called.
@safe
struct ConnectionHandle {
    private let handle: OpaquePointer?

    init(_ connection: GRDB.Database) { unsafe handle = connection.sqliteConnection }

    /// A Boolean value that says whether a transaction is open. <https://sqlite.org/c3ref/get_autocommit.html>
    @inline(__always)
    var isInsideTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The number of requested pages that were in the connection's cache, and of requested pages that weren't.
    /// <https://sqlite.org/c3ref/c_dbstatus_options.html>
    var pageCounts: (hits: Int, misses: Int) {
        func value(_ option: CInt) -> Int {
            var (current, highest): (CInt, CInt) = (0, 0)
            unsafe sqlite3_db_status(handle, option, &current, &highest, 0)
            return Int(current)
        }
        return (value(SQLITE_DBSTATUS_CACHE_HIT), value(SQLITE_DBSTATUS_CACHE_MISS))
    }
}
