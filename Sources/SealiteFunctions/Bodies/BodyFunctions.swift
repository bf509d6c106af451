import CSQLite

/// The SQL functions on stored bodies (Documentation/Functions.md) and those of queries
/// (Documentation/QueryFunctions.md), and their registration on connections.
package enum BodyFunctions {
    /// The version of the set of SQL functions, those of queries included.
    package static let version: CInt = 4
    /// The version of the tables of the Unicode collations.
    package static var collationVersion: Int { TextCollation.version }

    /// The version of the tokenizer of full-text search, with its tables and its lists of stop words.
    package static let wordsVersion = 1
    /// The version of the stemmers, which depends on the linked library.
    package static var stemmerVersion: Int { StemmerVersion.number }

    /// Registers the SQL functions on every SQLite connection that is opened in this process from now on, except those
    /// whose URI sets `parameter` to 0. Further calls have no effect. Can be called on any thread.
    ///
    /// - Returns: a result code of SQLite. https://sqlite.org/c3ref/auto_extension.html
    package static func registerOnNewConnections() -> CInt { unsafe sealite_auto_extension(registerOnNewConnection) }

    /// The URI parameter, set to 0, with which a connection is opened without the functions. Registering them is half
    /// the cost of a connection that runs one statement, and a file whose schema is known to use none needs none.
    package static let parameter = "sealite_functions"

    /// Returns a Boolean value that indicates whether a connection was opened with the functions: always, unless the
    /// URI of its main database says otherwise. https://sqlite.org/c3ref/uri_boolean.html
    fileprivate static func areWanted(on connection: OpaquePointer) -> Bool {
        unsafe sqlite3_uri_boolean(sqlite3_db_filename(connection, "main"), parameter, 1) != 0
    }

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
        codes.append(unsafe EachTable.register(on: connection))
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

private func registerOnNewConnection(
    _ connection: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ routines: UnsafePointer<sqlite3_api_routines>?
) -> CInt {
    guard let connection = unsafe connection, unsafe BodyFunctions.areWanted(on: connection) else { return SQLITE_OK }
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
