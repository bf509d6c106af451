import CSQLite
import GRDB
import SealiteDatabase

/// Counts the work of a connection's statements in steps of SQLite's virtual machine, which two runs take alike, unlike
/// time.
final class StatementWork {
    /// The steps of all runs of each statement, by its text.
    private(set) var steps: [String: Int] = [:]

    /// Returns the sum of the steps of the statements whose text contains `text`.
    func steps(of text: String = "") -> Int {
        steps.reduce(0) { $0 + (text.isEmpty || $1.key.contains(text) ? $1.value : 0) }
    }

    /// Runs `body` and returns the work of the statements that end in it. The connection has no other trace.
    /// <https://sqlite.org/c3ref/trace_v2.html>
    static func counted(_ connection: GRDB.Database, _ body: () throws -> Void) rethrows -> StatementWork {
        let work = StatementWork()
        let handle = unsafe connection.sqliteConnection
        _ = unsafe sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, _ in
                guard let context = unsafe context, let statement = unsafe statement else { return 0 }
                let work = unsafe Unmanaged<StatementWork>.fromOpaque(context).takeUnretainedValue()
                unsafe work.add(OpaquePointer(statement))
                return 0
            }, Unmanaged.passUnretained(work).toOpaque())
        defer { _ = unsafe sqlite3_trace_v2(handle, 0, nil, nil) }
        try body()
        return work
    }

    private func add(_ statement: OpaquePointer) {
        guard let text = unsafe sqlite3_sql(statement) else { return }
        steps[unsafe String(cString: text), default: 0] += Int(
            unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
    }
}
