import CSQLite

/// An error inside of a virtual table: a result code of SQLite, and a reason that replaces SQLite's.
struct TableFailure: Error {
    let code: CInt
    let reason: String?

    init(_ code: CInt, _ reason: String? = nil) { (self.code, self.reason) = (code, reason) }
}

/// The statements that a virtual table runs on the connection that it belongs to, prepared once and kept while they aren't in use.
/// They must be given up before the connection is closed, as a virtual table is.
@safe
final class InnerStatements {
    private let connection: OpaquePointer
    /// The handles of statements that aren't in use, by their SQL.
    private var kept: [String: OpaquePointer] = unsafe [:]
    /// The greatest number of statements that are kept.
    private static let keptCount = 16

    init(_ connection: OpaquePointer) { unsafe self.connection = connection }

    deinit {
        unsafe kept.values.forEach { unsafe _ = sqlite3_finalize($0) }
    }

    fileprivate func take(_ sql: String) throws(TableFailure) -> OpaquePointer {
        if let handle = unsafe kept.removeValue(forKey: sql) { return unsafe handle }
        var made: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made = unsafe made else {
            throw unsafe TableFailure(code == SQLITE_OK ? SQLITE_MISUSE : code, InnerStatement.message(connection))
        }
        guard unsafe sqlite3_stmt_readonly(made) != 0 else {
            unsafe sqlite3_finalize(made)
            throw TableFailure(SQLITE_MISUSE, "a statement of a search must read only")
        }
        return unsafe made
    }

    fileprivate func giveBack(_ handle: OpaquePointer, _ sql: String) {
        guard unsafe kept.count < Self.keptCount, unsafe kept[sql] == nil else {
            unsafe sqlite3_finalize(handle)
            return
        }
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
        unsafe kept[sql] = handle
    }
}

/// A statement that a virtual table runs on the connection that it belongs to, while another statement reads the table.
/// https://sqlite.org/c3ref/stmt.html
@safe
struct InnerStatement: ~Copyable {
    private let handle: OpaquePointer
    private let sql: String
    private let owner: InnerStatements

    /// Prepares a statement that reads only, whose parameters ?1, ?2 and so on have these values.
    init(_ owner: InnerStatements, _ sql: String, _ values: Int64...) throws(TableFailure) {
        unsafe handle = try owner.take(sql)
        (self.owner, self.sql) = (owner, sql)
        for (index, value) in values.enumerated() { bind(value, at: CInt(index + 1)) }
    }

    deinit { unsafe owner.giveBack(handle, sql) }

    fileprivate static func message(_ connection: OpaquePointer?) -> String? {
        unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) }
    }

    borrowing func bind(_ value: Int64, at position: CInt) { unsafe sqlite3_bind_int64(handle, position, value) }

    /// Ends an execution, so that the statement can be bound and run again.
    borrowing func reset() { unsafe sqlite3_reset(handle) }

    /// Runs the statement up to its next row; false if there is none.
    borrowing func step() throws(TableFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw unsafe TableFailure(code, Self.message(sqlite3_db_handle(handle)))
    }

    borrowing func int64(_ column: CInt) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// The bytes of a BLOB, valid until the next step; empty for any other type.
    borrowing func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_BLOB else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let start = unsafe sqlite3_column_blob(handle, column)
        return unsafe UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }
}
