import CSQLite

/// A scan of an SQL table whose rows Swift computes: what SQLite's methods of a cursor do.
/// https://sqlite.org/vtab.html#virtual_table_methods
///
/// The methods that return a number return a result code of SQLite.
@safe
class TableCursor {
    init() {}

    /// Starts a scan with the values that the plan passes. They are valid for the duration of the call only.
    func begin(_ arguments: UnsafeMutableBufferPointer<OpaquePointer?>) -> CInt { SQLITE_MISUSE }
    /// Moves to the next row.
    func next() -> CInt { SQLITE_MISUSE }
    /// A Boolean value that says whether there is no further row.
    var isAtEnd: Bool { true }
    /// Sets the result to a column of the current row.
    func give(column: CInt, _ context: OpaquePointer?) {}
    /// The number of the current row.
    var row: Int64 { 0 }
    /// The reason why the last call failed; nil if SQLite's code says it.
    var failure: String? { nil }
}

/// The parts that the virtual tables of this module have in common.
enum VirtualTable {
    /// Returns the methods of a table that has no xCreate, so that no other table can be created with the module, in memory
    /// that is never freed. The methods that differ are set by the caller.
    static func module(
        _ change: (inout sqlite3_module) -> Void
    ) -> UnsafeMutablePointer<sqlite3_module> {
        var methods = sqlite3_module()
        unsafe methods.xDisconnect = disconnect
        unsafe methods.xClose = close
        unsafe methods.xFilter = filter
        unsafe methods.xNext = next
        unsafe methods.xEof = isAtEnd
        unsafe methods.xColumn = column
        unsafe methods.xRowid = row
        change(&methods)
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        unsafe pointer.initialize(to: methods)
        return unsafe pointer
    }

    /// Makes the table of a connection, in xConnect, with an object that lives as long as the table.
    static func connect(
        _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?, with object: AnyObject? = nil
    ) -> CInt {
        let made = UnsafeMutablePointer<sealite_table>.allocate(capacity: 1)
        // Released in `disconnect`.
        let context = unsafe object.map { unsafe Unmanaged.passRetained($0).toOpaque() }
        unsafe made.initialize(to: sealite_table(base: sqlite3_vtab(), context: context))
        unsafe table?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    /// Returns the object that was given to `connect`, which must be of the type `Object`.
    static func object<Object: AnyObject>(
        of table: UnsafeMutablePointer<sqlite3_vtab>?, _ type: Object.Type
    ) -> Object? {
        guard let table = unsafe table,
            let context = unsafe UnsafeMutableRawPointer(table).assumingMemoryBound(to: sealite_table.self).pointee
                .context
        else { return nil }
        return unsafe Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
    }

    /// Makes the cursor of a scan, in xOpen.
    static func open(
        _ scan: TableCursor, _ cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
    ) -> CInt {
        let made = UnsafeMutablePointer<sealite_cursor>.allocate(capacity: 1)
        // Released in `close`.
        let context = unsafe Unmanaged.passRetained(scan).toOpaque()
        unsafe made.initialize(to: sealite_cursor(base: sqlite3_vtab_cursor(), context: context))
        unsafe cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
}

private func disconnect(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> CInt {
    guard let table = unsafe table else { return SQLITE_OK }
    let made = unsafe UnsafeMutableRawPointer(table).assumingMemoryBound(to: sealite_table.self)
    if let context = unsafe made.pointee.context { unsafe Unmanaged<AnyObject>.fromOpaque(context).release() }
    unsafe made.deallocate()
    return SQLITE_OK
}

private func close(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
    guard let cursor = unsafe cursor else { return SQLITE_OK }
    let made = unsafe UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sealite_cursor.self)
    if let context = unsafe made.pointee.context { unsafe Unmanaged<TableCursor>.fromOpaque(context).release() }
    unsafe made.deallocate()
    return SQLITE_OK
}

/// Calls `body` with the scan of an SQLite cursor, and returns its result code of SQLite.
@inline(__always)
private func with(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (TableCursor) -> CInt) -> CInt {
    guard let cursor = unsafe cursor,
        let context = unsafe UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sealite_cursor.self).pointee
            .context
    else { return SQLITE_MISUSE }
    return unsafe Unmanaged<TableCursor>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}

/// Passes the reason of a failure to SQLite. https://sqlite.org/vtab.html#implementation
private func report(_ scan: TableCursor, _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ code: CInt) -> CInt {
    guard code != SQLITE_OK, let reason = scan.failure, let table = unsafe cursor?.pointee.pVtab else { return code }
    unsafe sqlite3_free(table.pointee.zErrMsg)
    unsafe table.pointee.zErrMsg = sealite_copy_string(reason)
    return code
}

private func filter(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ plan: CInt, _ name: UnsafePointer<CChar>?, _ count: CInt,
    _ arguments: SQLArguments
) -> CInt {
    unsafe with(cursor) { scan in
        unsafe report(
            scan, cursor,
            scan.begin(UnsafeMutableBufferPointer(start: arguments, count: arguments == nil ? 0 : Int(count))))
    }
}

private func next(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
    unsafe with(cursor) { unsafe report($0, cursor, $0.next()) }
}

private func isAtEnd(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
    unsafe with(cursor) { $0.isAtEnd ? 1 : 0 }
}

private func column(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ column: CInt
) -> CInt {
    unsafe with(cursor) { scan in
        unsafe scan.give(column: column, context)
        return SQLITE_OK
    }
}

private func row(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ row: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    unsafe with(cursor) { scan in
        unsafe row?.pointee = scan.row
        return SQLITE_OK
    }
}
