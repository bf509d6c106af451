import CSQLite
import SealiteVectors

/// The SQL table `query_nearest(index, documents, source, form, vector, count, probes)`: the documents nearest to a vector, in
/// the order of their distances (Documentation/QueryFunctions.md). ``VectorPlan`` writes calls of it.
///
/// Only statements of the program itself can read the table, not those in a file's schema, since it runs SQL that it is
/// given. https://sqlite.org/c3ref/c_vtab_constraint_support.html
enum NearestTable {
    /// The columns of the table, by their indices from 0. Those after `distance` are the arguments.
    enum Column {
        static let number: CInt = 0
        static let distance: CInt = 1
        static let firstArgument: CInt = 2
        static let argumentCount: CInt = 7
    }

    fileprivate static let declaration = """
        CREATE TABLE query_nearest(number INTEGER, distance REAL, "index" HIDDEN, documents HIDDEN, source HIDDEN,
        form HIDDEN, vector HIDDEN, count HIDDEN, probes HIDDEN)
        """

    // The module is immutable after its creation.
    private nonisolated(unsafe) static let module = unsafe VirtualTable.module { methods in
        unsafe methods.xConnect = nearestConnect
        unsafe methods.xBestIndex = nearestBestIndex
        unsafe methods.xOpen = { table, cursor in
            guard let connection = unsafe VirtualTable.object(of: table, SearchConnection.self) else {
                return SQLITE_MISUSE
            }
            return unsafe VirtualTable.open(NearestCursor(connection), cursor)
        }
    }

    /// Registers the table on one open SQLite connection, on its thread.
    ///
    /// - Returns: a result code of SQLite.
    static func register(on connection: OpaquePointer) -> CInt {
        unsafe sqlite3_create_module_v2(connection, "query_nearest", module, nil, nil)
    }
}

private func nearestConnect(
    _ connection: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ count: CInt,
    _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
    _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    guard let connection = unsafe connection else { return SQLITE_MISUSE }
    let code = unsafe sqlite3_declare_vtab(connection, NearestTable.declaration)
    guard code == SQLITE_OK else { return code }
    let direct = unsafe sealite_declare_direct_only(connection)
    guard direct == SQLITE_OK else { return direct }
    return unsafe VirtualTable.connect(table, with: SearchConnection(connection))
}

/// Accepts only plans that give each argument a value by an equality. An upper bound of the distance is passed on, which
/// SQLite checks too, and rows come in the order of distances.
private func nearestBestIndex(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
) -> CInt {
    guard let info = unsafe info else { return SQLITE_CONSTRAINT }
    typealias Column = NearestTable.Column
    var given: Set<CInt> = []
    for index in 0..<Int(unsafe info.pointee.nConstraint) {
        let constraint = unsafe info.pointee.aConstraint[index]
        let argument = constraint.iColumn - Column.firstArgument
        if (0..<Column.argumentCount).contains(argument), Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ,
            constraint.usable != 0, given.insert(argument).inserted
        {
            unsafe info.pointee.aConstraintUsage[index].argvIndex = argument + 1
            unsafe info.pointee.aConstraintUsage[index].omit = 1
        } else if constraint.iColumn == Column.distance, constraint.usable != 0, !given.contains(Column.argumentCount),
            [SQLITE_INDEX_CONSTRAINT_LT, SQLITE_INDEX_CONSTRAINT_LE].contains(Int32(constraint.op))
        {
            unsafe info.pointee.aConstraintUsage[index].argvIndex = Column.argumentCount + 1
            given.insert(Column.argumentCount)
        }
    }
    guard (0..<Column.argumentCount).allSatisfy(given.contains) else { return SQLITE_CONSTRAINT }
    if unsafe info.pointee.nOrderBy == 1, unsafe info.pointee.aOrderBy[0].iColumn == Column.distance,
        unsafe info.pointee.aOrderBy[0].desc == 0
    {
        unsafe info.pointee.orderByConsumed = 1
    }
    unsafe info.pointee.estimatedCost = 1_000
    unsafe info.pointee.estimatedRows = 100
    return SQLITE_OK
}

/// A cursor of the SQL table `query_nearest`.
@safe
private final class NearestCursor: TableCursor {
    private let connection: SearchConnection
    private var search: NearestSearch?
    private var place: Int64 = 0
    private var limit = Double.infinity
    private var reason: String?

    init(_ connection: SearchConnection) { self.connection = connection }

    override var row: Int64 { place }
    override var failure: String? { reason }
    override var isAtEnd: Bool { (search?.current?.distance).map { !($0 <= limit) } ?? true }

    override func begin(_ arguments: UnsafeMutableBufferPointer<OpaquePointer?>) -> CInt {
        catching { () throws(TableFailure) in
            let request = unsafe try SearchRequest(arguments)
            limit = .infinity
            if arguments.count > Int(NearestTable.Column.argumentCount) {
                let bound = unsafe FunctionValue(arguments[Int(NearestTable.Column.argumentCount)])
                limit = bound.number ?? .infinity
            }
            place = 0
            search = try NearestSearch(connection, request)
        }
    }

    override func next() -> CInt {
        catching { () throws(TableFailure) in
            place += 1
            try search?.next()
        }
    }

    private func catching(_ body: () throws(TableFailure) -> Void) -> CInt {
        do throws(TableFailure) {
            try body()
            return SQLITE_OK
        } catch {
            (search, reason) = (nil, error.reason)
            return error.code
        }
    }

    override func give(column: CInt, _ context: OpaquePointer?) {
        guard let current = search?.current else { return }
        switch column {
        case NearestTable.Column.number: unsafe sqlite3_result_int64(context, current.document)
        case NearestTable.Column.distance: unsafe sqlite3_result_double(context, current.distance)
        default: break
        }
    }
}

/// The arguments of `query_nearest`, checked.
package struct SearchRequest {
    let plan: VectorPlan
    let vector: [Float]
    /// The number of documents that are probably needed, at least 1.
    let count: Int
    /// The number of lists to read at first; 0 for all.
    let probes: Int

    /// The greatest number of documents that a search looks for at first. Only these are in the order of all: LIMIT can be a
    /// parameter of any value, and OFFSET comes to it.
    private static let greatestCount = 1 << 20

    fileprivate init(_ arguments: UnsafeMutableBufferPointer<OpaquePointer?>) throws(TableFailure) {
        func value(_ index: Int) -> FunctionValue { unsafe FunctionValue(arguments[index]) }
        guard arguments.count >= Int(NearestTable.Column.argumentCount), case .integer(let index) = value(0),
            let documents = value(1).text?.string, let source = value(2).text?.string,
            let form = value(3).text?.string,
            let plan = VectorPlan(index: index, documents: documents, source: source, form: form)
        else { throw TableFailure(SQLITE_ERROR, "the arguments of query_nearest are those of a vector index") }
        self.plan = plan
        count = min(max(Int(clamping: value(5).integer ?? 1), 1), Self.greatestCount)
        probes = max(Int(clamping: value(6).integer ?? 0), 0)
        var floats = [Float](repeating: 0, count: plan.dimensions)
        let isRead = unsafe floats.withUnsafeMutableBufferPointer { unsafe value(4).readVector(into: $0) }
        guard isRead else { throw TableFailure(SQLITE_ERROR, Self.problem(value(4), plan.dimensions)) }
        guard plan.metric != .cosine || floats.contains(where: { $0 != 0 }) else {
            throw TableFailure(SQLITE_ERROR, Self.zeroProblem)
        }
        vector = floats
    }

    /// The beginning of the reason why a value isn't a vector that the index can be searched for.
    package static let failurePrefix = "the vector that is searched for"

    /// The reason why a vector of zeros can't be searched for by the cosine.
    static let zeroProblem = "\(failurePrefix) has only zeros, which have no cosine"

    /// Returns the reason why a value isn't a vector that an index of a number of dimensions can be searched for.
    static func problem(_ value: FunctionValue, _ dimensions: Int) -> String {
        guard let count = value.vectorCount else {
            return
                "\(failurePrefix) must be an array of \(dimensions) numbers, or as many float32 in base64 or binary data"
        }
        guard count != dimensions else {
            return "\(failurePrefix) must be an array of \(count) numbers, and one of them is no float32"
        }
        return "\(failurePrefix) has \(count) dimensions, and those of the index have \(dimensions)"
    }
}

extension FunctionValue {
    /// The value as an integer; nil if it isn't one.
    fileprivate var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero))
        default: nil
        }
    }
}
