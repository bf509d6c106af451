import CSQLite

/// The SQL functions on stored bodies (Documentation/Functions.md) and those of queries
/// (Documentation/QueryFunctions.md), and their registration on connections.
package enum BodyFunctions {
    /// The version of the set of SQL functions, those of queries included.
    package static let version: CInt = 6
    /// The version of the tables of the Unicode collations.
    package static var collationVersion: Int { TextCollation.version }

    /// The version of the tokenizer of full-text search, with its tables and its lists of stop words.
    package static let wordsVersion = 1
    /// The version of the stemmers, which depends on the linked library.
    package static var stemmerVersion: Int { StemmerVersion.number }

    /// Registers the SQL functions on one open SQLite connection, on its thread.
    ///
    /// - Returns: a result code of SQLite. https://sqlite.org/c3ref/create_function.html
    package static func register(on connection: OpaquePointer) -> CInt {
        // Innocuous, so that a file's indexes and triggers can call the functions on connections that don't trust its
        // schema.
        let innocuous = SQLITE_UTF8 | SQLITE_INNOCUOUS
        let pure = innocuous | SQLITE_DETERMINISTIC
        var codes = [unsafe add("body_value", -1, pure, bodyValue, to: connection)]
        codes.append(unsafe add("body_element", -1, pure, bodyElement, to: connection))
        codes.append(unsafe add("body_type", -1, pure, bodyType, to: connection))
        codes.append(unsafe add("body_key", -1, pure, bodyKey, to: connection))
        codes.append(unsafe add("query_revision", 1, pure, revisionText, to: connection))
        codes.append(unsafe add("body_compare", 3, pure, bodyCompare, to: connection))
        codes.append(unsafe add("body_functions_version", 0, innocuous, bodyFunctionsVersion, to: connection))
        let records = FunctionRecords()
        codes.append(unsafe QueryFunction.register(on: connection, records))
        codes.append(unsafe AggregateFunction.register(on: connection))
        codes.append(unsafe GroupCounts.register(on: connection))
        codes.append(unsafe BodyVisitor.register(on: connection))
        codes.append(unsafe SortedEntries.register(on: connection))
        codes.append(unsafe EachTable.register(on: connection))
        codes.append(unsafe NearestTable.register(on: connection))
        codes.append(unsafe FullTextEngine.register(on: connection, records))
        // Otherwise functions that were registered would lose their records; they are leaked instead.
        guard codes.allSatisfy({ $0 == SQLITE_OK }) else { return codes.first { $0 != SQLITE_OK } ?? SQLITE_OK }
        codes.append(unsafe records.registerOwner(on: connection))
        return codes.first { $0 != SQLITE_OK } ?? SQLITE_OK
    }

    private static func add(
        _ name: String, _ argumentCount: CInt, _ flags: CInt, _ body: FunctionBody, to connection: OpaquePointer
    ) -> CInt {
        unsafe sqlite3_create_function_v2(connection, name, argumentCount, flags, nil, body, nil, nil, nil)
    }
}

/// SealiteFile's hook for new connections, which exists in every program that links this module: registers the SQL
/// functions on a connection. SQLite calls it from `sqlite3_open_v2()`, on the thread that opens the connection.
///
/// - Parameters:
///   - connection: the connection.
///   - message: receives the reason of a failure, in memory of SQLite.
///   - routines: SQLite's functions, which aren't used: this module is linked with SQLite.
/// - Returns: a result code of SQLite. https://sqlite.org/c3ref/auto_extension.html
@_cdecl("sealite_new_connection")
package func registerOnNewConnection(
    _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ routines: UnsafeRawPointer?
) -> CInt {
    guard let connection = unsafe connection else { return SQLITE_OK }
    let code = unsafe BodyFunctions.register(on: connection)
    if code != SQLITE_OK {
        unsafe message?.pointee = sealite_copy_string(
            "sealite: the SQL functions for documents could not be registered (SQLite result code \(code))")
    }
    return code
}

private func bodyFunctionsVersion(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    unsafe sqlite3_result_int(context, BodyFunctions.version)
}

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
    private static let ownPrefixes = ["query_", "body_", "mongo_entries", "mongo_cells"]
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
