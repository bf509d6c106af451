import CSQLite
import Glibc

/// An error that ends the call of an SQL function, and with it the statement that the call is in.
enum CallFailure: Error {
    /// The statement was interrupted.
    case interrupted
    /// The result would be longer than SQLite's values may be, or the results of functions would take more memory than
    /// `ConnectionWork.memoryLimit` in total.
    case tooLarge
}

/// The work that the SQL functions have done on one connection, and the memory of their large results
/// (Documentation/QueryFunctions.md §6).
///
/// SQLite looks for an interruption only between two calls. A function therefore charges its work to the connection's
/// `WorkCounter`, and fails when it finds an interruption.
// Not Sendable: used on the thread that runs the connection's statement.
struct ConnectionWork {
    /// The maximum number of bytes of the memory that SQLite uses in the process, with what functions of one connection
    /// need beside it, when a function makes a large result.
    static let memoryLimit = 4 << 30

    /// The work of all calls on the connection. A look for an interruption costs some 3 µs.
    private(set) var counter = WorkCounter()
    /// The bytes of memory that count against `memoryLimit` now, in addition to those that SQLite has allocated.
    private var held = 0

    /// Charges units of work that a call of the connection does next, or has just done.
    ///
    /// - Throws: `interrupted` if it is time to look for an interruption, and the statement was interrupted.
    @inline(__always)
    mutating func charge(_ count: Int, _ context: OpaquePointer?) throws(CallFailure) {
        if counter.charge(count) { try unsafe Self.look(context) }
    }

    @inline(never)
    private static func look(_ context: OpaquePointer?) throws(CallFailure) {
        if unsafe isInterrupted(sqlite3_context_db_handle(context)) { throw .interrupted }
    }

    /// Counts memory that a call or one of its results takes.
    ///
    /// - Throws: `tooLarge` if the limit is exceeded; the memory isn't counted then.
    mutating func take(_ byteCount: Int) throws(CallFailure) {
        try check(byteCount)
        held += byteCount
    }

    /// Checks that a call may allocate memory.
    ///
    /// - Throws: `tooLarge` if the limit would be exceeded, or if the system has no memory of this size: Swift's own
    ///   allocation would end the process then.
    func check(_ byteCount: Int) throws(CallFailure) {
        guard byteCount <= Self.memoryLimit - held - Int(sqlite3_memory_used()), let memory = unsafe malloc(byteCount)
        else { throw .tooLarge }
        unsafe free(memory)
    }

    /// Subtracts memory that `take` counted.
    mutating func giveBack(_ byteCount: Int) { held -= byteCount }

    /// Returns whether the statement in progress on a connection was interrupted.
    ///
    /// `sqlite3_is_interrupted` exists from SQLite 3.41 on only. Its parser, however, has always refused a new statement
    /// while an interrupted one is in progress, whoever interrupted it. <https://sqlite.org/c3ref/interrupt.html>
    static func isInterrupted(_ connection: OpaquePointer?) -> Bool {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(connection, "SELECT 1", -1, &statement, nil)
        unsafe sqlite3_finalize(statement)
        return code == SQLITE_INTERRUPT
    }
}
