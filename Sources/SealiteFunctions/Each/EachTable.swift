import CSQLite
import SealiteJSON

/// The SQL table `query_each(container)`: a row for each element of a value (Documentation/QueryFunctions.md).
/// https://sqlite.org/vtab.html#eponymous_only_virtual_tables
enum EachTable {
    /// The columns of the table, by their indices from 0.
    enum Column {
        static let key: CInt = 0
        static let value: CInt = 1
        static let container: CInt = 2
    }

    fileprivate static let declaration = "CREATE TABLE query_each(key, value, container HIDDEN)"

    /// The methods of the virtual table, in memory that is never freed. Without xCreate, no other virtual table can be
    /// created with this module.
    // The module is immutable after its creation.
    private nonisolated(unsafe) static let module: UnsafeMutablePointer<sqlite3_module> = {
        var methods = sqlite3_module()
        unsafe methods.xConnect = eachConnect
        unsafe methods.xBestIndex = eachBestIndex
        unsafe methods.xDisconnect = eachDisconnect
        unsafe methods.xOpen = eachOpen
        unsafe methods.xClose = eachClose
        unsafe methods.xFilter = eachFilter
        unsafe methods.xNext = eachNext
        unsafe methods.xEof = eachEof
        unsafe methods.xColumn = eachColumn
        unsafe methods.xRowid = eachRow
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        unsafe pointer.initialize(to: methods)
        return unsafe pointer
    }()

    /// Registers the table `query_each` on one open SQLite connection, on its thread.
    ///
    /// - Returns: a result code of SQLite.
    static func register(on connection: OpaquePointer) -> CInt {
        unsafe sqlite3_create_module_v2(connection, "query_each", module, nil, nil)
    }
}

private func eachConnect(
    _ connection: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ count: CInt,
    _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
    _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    let code = unsafe sqlite3_declare_vtab(connection, EachTable.declaration)
    guard code == SQLITE_OK else { return code }
    let innocuous = unsafe sealite_declare_innocuous(connection)
    guard innocuous == SQLITE_OK else { return innocuous }
    let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
    unsafe made.initialize(to: sqlite3_vtab())
    unsafe table?.pointee = made
    return SQLITE_OK
}

private func eachDisconnect(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> CInt {
    unsafe table?.deallocate()
    return SQLITE_OK
}

/// Accepts only query plans that give the column `container` a value by an equality.
private func eachBestIndex(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
) -> CInt {
    guard let info = unsafe info else { return SQLITE_CONSTRAINT }
    for index in 0..<Int(unsafe info.pointee.nConstraint) {
        let constraint = unsafe info.pointee.aConstraint[index]
        guard constraint.iColumn == EachTable.Column.container, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ,
            constraint.usable != 0
        else { continue }
        unsafe info.pointee.aConstraintUsage[index].argvIndex = 1
        unsafe info.pointee.aConstraintUsage[index].omit = 1
        unsafe info.pointee.estimatedCost = 1
        unsafe info.pointee.estimatedRows = 10
        return SQLITE_OK
    }
    return SQLITE_CONSTRAINT
}

private func eachOpen(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?,
    _ cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> CInt {
    let made = UnsafeMutablePointer<sealite_cursor>.allocate(capacity: 1)
    // Released in eachClose.
    let context = unsafe Unmanaged.passRetained(EachCursor()).toOpaque()
    unsafe made.initialize(to: sealite_cursor(base: sqlite3_vtab_cursor(), context: context))
    unsafe cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
}

private func eachClose(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
    guard let cursor = unsafe cursor else { return SQLITE_OK }
    let made = unsafe UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sealite_cursor.self)
    if let context = unsafe made.pointee.context { unsafe Unmanaged<EachCursor>.fromOpaque(context).release() }
    unsafe made.deallocate()
    return SQLITE_OK
}

/// Calls `body` with the object that an SQLite cursor refers to, and returns its result code of SQLite.
@inline(__always)
private func withCursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (EachCursor) -> CInt) -> CInt {
    guard let cursor = unsafe cursor,
        let context = unsafe UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sealite_cursor.self).pointee
            .context
    else { return SQLITE_MISUSE }
    return body(unsafe Unmanaged<EachCursor>.fromOpaque(context).takeUnretainedValue())
}

private func eachFilter(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ plan: CInt, _ name: UnsafePointer<CChar>?, _ count: CInt,
    _ arguments: SQLArguments
) -> CInt {
    unsafe withCursor(cursor) { each in
        guard count == 1, let arguments = unsafe arguments else { return SQLITE_MISUSE }
        return unsafe each.begin(arguments[0]) ? SQLITE_OK : SQLITE_NOMEM
    }
}

private func eachNext(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
    unsafe withCursor(cursor) { each in
        each.next()
        return SQLITE_OK
    }
}

private func eachEof(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
    unsafe withCursor(cursor) { each in each.current == nil ? 1 : 0 }
}

private func eachColumn(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ column: CInt
) -> CInt {
    unsafe withCursor(cursor) { each in
        guard let element = each.current else { return SQLITE_OK }
        let call = unsafe QueryCall(context, 0, nil)
        switch column {
        case EachTable.Column.value: call.give(element.value)
        case EachTable.Column.key:
            if let name = element.name {
                unsafe call.give(text: name.payload)
            } else if each.hasElements {
                call.give(Int64(element.index))
            }
        default: unsafe each.giveContainer(context)
        }
        return SQLITE_OK
    }
}

private func eachRow(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ row: UnsafeMutablePointer<sqlite3_int64>?
) -> CInt {
    unsafe withCursor(cursor) { each in
        unsafe row?.pointee = each.row
        return SQLITE_OK
    }
}

/// A cursor of the SQL table `query_each`, over the elements of one value.
@safe final class EachCursor {
    /// A copy of the value whose elements are scanned, since the argument isn't valid after the start of the scan.
    private var container: OpaquePointer?
    private var elements: QueryElements?
    /// The current element; nil after the last one.
    private(set) var current: QueryElements.Element?
    /// The number of the row with the current element, from 0.
    private(set) var row: Int64 = 0

    /// A Boolean value that says whether the scanned value is an array or an object; any other value is a single
    /// element without a key.
    var hasElements: Bool { elements != nil }

    deinit { unsafe sqlite3_value_free(container) }

    /// Starts the scan of the elements of a value, the argument of `query_each`.
    ///
    /// - Returns: false if memory is short.
    func begin(_ argument: OpaquePointer?) -> Bool {
        unsafe sqlite3_value_free(container)
        unsafe container = sqlite3_value_dup(argument)
        (elements, current, row) = (nil, nil, 0)
        guard let copy = unsafe container else { return false }
        // A BLOB that isn't an element has no rows; in this function it doesn't count as null.
        switch unsafe FunctionValue(copy, damaged: .missing) {
        case .missing: break
        case .array(let content), .object(let content):
            elements = QueryElements(content)
            current = elements?.next()
        case let scalar: current = .init(scalar: scalar)
        }
        return true
    }

    /// Sets the result of a column to the whole value whose elements are scanned.
    func giveContainer(_ context: OpaquePointer?) { unsafe sqlite3_result_value(context, container) }

    /// Moves to the next element.
    func next() {
        current = elements?.next()
        row += 1
    }
}

extension QueryElements.Element {
    /// Creates the single element of a value that is neither an array nor an object: the value itself.
    init(scalar: FunctionValue) {
        (index, name, value, place) = (0, nil, scalar, JSONBElement(JSONBType.null, payload: 0..<0))
    }
}
