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

    /// The methods of the virtual table.
    // The module is immutable after its creation.
    private nonisolated(unsafe) static let module = unsafe VirtualTable.module { methods in
        unsafe methods.xConnect = eachConnect
        unsafe methods.xBestIndex = eachBestIndex
        unsafe methods.xOpen = { _, cursor in unsafe VirtualTable.open(EachCursor(), cursor) }
    }

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
    return unsafe VirtualTable.connect(table)
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

/// A cursor of the SQL table `query_each`, over the elements of one value.
@safe final class EachCursor: TableCursor {
    /// A copy of the value whose elements are scanned, since the argument isn't valid after the start of the scan.
    private var container: OpaquePointer?
    private var elements: QueryElements?
    /// The current element; nil after the last one.
    private(set) var current: QueryElements.Element?
    /// The number of the row with the current element, from 0.
    private var place: Int64 = 0

    override var row: Int64 { place }
    override var isAtEnd: Bool { current == nil }

    /// A Boolean value that says whether the scanned value is an array or an object; any other value is a single
    /// element without a key.
    var hasElements: Bool { elements != nil }

    deinit { unsafe sqlite3_value_free(container) }

    /// Starts the scan of the elements of a value, the argument of `query_each`.
    override func begin(_ arguments: UnsafeMutableBufferPointer<OpaquePointer?>) -> CInt {
        guard arguments.count == 1 else { return SQLITE_MISUSE }
        unsafe sqlite3_value_free(container)
        unsafe container = sqlite3_value_dup(arguments[0])
        (elements, current, place) = (nil, nil, 0)
        guard let copy = unsafe container else { return SQLITE_NOMEM }
        // A BLOB that isn't an element has no rows; in this function it doesn't count as null.
        switch unsafe FunctionValue(copy, damaged: .missing) {
        case .missing: break
        case .array(let content), .object(let content):
            elements = QueryElements(content)
            current = elements?.next()
        case let scalar: current = .init(scalar: scalar)
        }
        return SQLITE_OK
    }

    override func give(column: CInt, _ context: OpaquePointer?) {
        guard let element = current else { return }
        let call = unsafe QueryCall(context, 0, nil)
        switch column {
        case EachTable.Column.value: call.give(element.value)
        case EachTable.Column.key:
            if let name = element.name {
                unsafe call.give(text: name.payload)
            } else if hasElements {
                call.give(Int64(element.index))
            }
        default: unsafe sqlite3_result_value(context, container)
        }
    }

    override func next() -> CInt {
        current = elements?.next()
        place += 1
        return SQLITE_OK
    }
}

extension QueryElements.Element {
    /// Creates the single element of a value that is neither an array nor an object: the value itself.
    init(scalar: FunctionValue) {
        (index, name, value, place) = (0, nil, scalar, JSONBElement(JSONBType.null, payload: 0..<0))
    }
}
