import CSQLite

/// A connection for benchmarks: no checks but traps, nothing between the caller and SQLite.
@safe final class BenchConnection {
    private let handle: OpaquePointer

    init(_ uri: String) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
        precondition(unsafe sqlite3_open_v2(uri, &handle, flags, nil) == SQLITE_OK, "cannot open the database")
        guard let opened = unsafe handle else { preconditionFailure("no connection") }
        unsafe self.handle = unsafe opened
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    func run(_ sql: String) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        precondition(code == SQLITE_OK, unsafe "\(sql.prefix(60)): \(String(cString: sqlite3_errmsg(handle)))")
    }

    func integer(_ sql: String) -> Int {
        var statement: OpaquePointer?
        precondition(unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, sql)
        defer { unsafe sqlite3_finalize(statement) }
        return unsafe sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : 0
    }

    /// Runs a step of a workload: one statement, prepared once, with the parameters that the step counts out.
    func run(_ step: Step) {
        guard step.count > 0 else { return run(step.sql) }
        var statement: OpaquePointer?
        precondition(unsafe sqlite3_prepare_v2(handle, step.sql, -1, &statement, nil) == SQLITE_OK, step.sql)
        defer { unsafe sqlite3_finalize(statement) }
        let parameterCount = unsafe sqlite3_bind_parameter_count(statement)
        for number in 1...step.count {
            let other = step.other(than: number)
            if parameterCount > 0 { unsafe sqlite3_bind_int64(statement, 1, Int64(number)) }
            if parameterCount > 1 { unsafe sqlite3_bind_int64(statement, 2, Int64(other)) }
            if parameterCount > 2 {
                let words = words(other)
                unsafe sealite_bind_text(statement, 3, words, CInt(words.utf8.count))
            }
            while unsafe sqlite3_step(statement) == SQLITE_ROW { _ = unsafe sqlite3_column_int64(statement, 0) }
            precondition(unsafe sqlite3_reset(statement) == SQLITE_OK, step.sql)
        }
    }
}
