import CSQLite

/// Compiles SQL statements that come from a file, whose text may be anybody's, on a connection to an empty database.
///
/// An authorizer refuses tables, recursion, and functions whose results may be far larger than their arguments or that
/// may take far longer than reading these. <https://sqlite.org/c3ref/set_authorizer.html>
package enum ForeignSQL {
    /// SQLite's own functions that an expression may call. This module's are recognized by their names.
    private static let functions: Set = [
        "abs", "coalesce", "count", "date", "datetime", "ifnull", "iif", "instr", "json", "json_array_length",
        "json_extract", "json_quote", "json_type", "json_valid", "julianday", "length", "likelihood", "likely", "lower",
        "ltrim", "max", "min", "nullif", "round", "rtrim", "sign", "strftime", "substr", "substring", "sum", "time",
        "total", "trim", "typeof", "unicode", "unixepoch", "unlikely", "upper", "->", "->>",
    ]
    private static let ownPrefixes = ["query_", "body_", "mongo_entries"]
    /// The only table that an expression may read.
    private static let table = "query_each"

    /// Returns whether SQLite compiles the statements, of which all but the last are run, and each is a single one.
    package static func compiles(_ statements: [String]) -> Bool {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
        guard unsafe sqlite3_open_v2(":memory:", &opened, flags, nil) == SQLITE_OK, let connection = unsafe opened
        else {
            unsafe sqlite3_close_v2(opened)
            return false
        }
        defer { unsafe sqlite3_close_v2(connection) }
        guard unsafe BodyFunctions.register(on: connection) == SQLITE_OK,
            // SQLite declares the table at its first use, which the authorizer would refuse.
            unsafe sqlite3_exec(connection, "SELECT 1 FROM \(table)(x'')", nil, nil, nil) == SQLITE_OK
        else { return false }
        for (index, sql) in statements.enumerated() {
            let isLast = index == statements.count - 1
            if isLast { unsafe sqlite3_set_authorizer(connection, authorize, nil) }
            var prepared: OpaquePointer?
            guard unsafe sqlite3_prepare_v2(connection, sql, -1, &prepared, nil) == SQLITE_OK,
                let statement = unsafe prepared
            else { return false }
            defer { unsafe sqlite3_finalize(statement) }
            if !isLast, unsafe sqlite3_step(statement) != SQLITE_DONE { return false }
        }
        return true
    }

    /// Returns whether SQLite may compile an action of a statement.
    fileprivate static func allows(_ action: CInt, _ first: String, _ second: String) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_CREATE_INDEX, SQLITE_REINDEX: true
        case SQLITE_READ: first == table || first.hasPrefix("documents_")
        case SQLITE_INSERT, SQLITE_UPDATE: first == "sqlite_master"
        case SQLITE_FUNCTION: functions.contains(second) || ownPrefixes.contains { second.hasPrefix($0) }
        default: false
        }
    }
}

private func authorize(
    _ context: UnsafeMutableRawPointer?, _ action: CInt, _ first: UnsafePointer<CChar>?,
    _ second: UnsafePointer<CChar>?,
    _ third: UnsafePointer<CChar>?, _ fourth: UnsafePointer<CChar>?
) -> CInt {
    let texts = unsafe (first.map { unsafe String(cString: $0) } ?? "", second.map { unsafe String(cString: $0) } ?? "")
    return ForeignSQL.allows(action, texts.0, texts.1) ? SQLITE_OK : SQLITE_DENY
}
