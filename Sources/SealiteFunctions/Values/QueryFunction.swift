import CSQLite

/// An SQL function that translated queries call, as it is registered on SQLite connections.
struct QueryFunction {
    let name: StaticString
    /// The numbers of arguments that a call may have.
    let counts: ClosedRange<Int>
    /// A Boolean value that says whether equal arguments always have equal results.
    let isDeterministic: Bool
    let body: @Sendable (QueryCall) throws -> Void

    /// A maximum number of arguments that doesn't restrict calls, since SQLite's own limit isn't higher.
    static let many = 32_767

    init(
        _ name: StaticString, _ counts: ClosedRange<Int>, isDeterministic: Bool = true,
        _ body: @escaping @Sendable (QueryCall) throws -> Void
    ) {
        (self.name, self.counts, self.isDeterministic, self.body) = (name, counts, isDeterministic, body)
    }

    init(
        _ name: StaticString, _ count: Int, isDeterministic: Bool = true,
        _ body: @escaping @Sendable (QueryCall) throws -> Void
    ) {
        self.init(name, count...count, isDeterministic: isDeterministic, body)
    }
}

extension QueryFunction {
    /// All SQL functions of queries except aggregates, in memory that is never freed, since SQLite keeps pointers to
    /// the entries.
    // The table is immutable after its creation.
    private nonisolated(unsafe) static let table: UnsafeMutableBufferPointer<QueryFunction> = {
        let functions = all
        let table = UnsafeMutableBufferPointer<QueryFunction>.allocate(capacity: functions.count)
        _ = unsafe table.initialize(from: functions)
        return unsafe table
    }()

    /// Registers all SQL functions of queries except aggregates on one open SQLite connection, on its thread. The
    /// functions charge their work to `work`, which must live as long as they are registered.
    ///
    /// - Returns: a result code of SQLite. https://sqlite.org/c3ref/create_function.html
    static func register(on connection: OpaquePointer, _ work: FunctionRecords) -> CInt {
        for index in unsafe table.indices {
            let entry = unsafe table.baseAddress.unsafelyUnwrapped + index
            let code = unsafe register(entry, work.add(entry), on: connection)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    /// The number of functions in the table.
    static var count: Int { unsafe table.count }

    /// Returns the index of an entry of the table.
    static func index(of entry: UnsafeMutablePointer<QueryFunction>) -> Int {
        unsafe entry - table.baseAddress.unsafelyUnwrapped
    }

    private static func register(
        _ entry: UnsafeMutablePointer<QueryFunction>, _ record: UnsafeMutablePointer<FunctionRecord>,
        on connection: OpaquePointer
    ) -> CInt {
        let (name, counts) = unsafe (entry.pointee.name, entry.pointee.counts)
        let pure = unsafe entry.pointee.isDeterministic ? SQLITE_DETERMINISTIC : 0
        // Innocuous, so that a file's indexes and triggers can call the functions on connections that don't trust its
        // schema.
        let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | pure
        let isFixed = counts.count == 1
        let count = isFixed ? CInt(counts.lowerBound) : -1
        // SQLite itself checks fixed numbers of arguments.
        let body: FunctionBody = unsafe isFixed ? callChecked : callChecking
        return unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            unsafe sqlite3_create_function_v2(connection, $0, count, flags, record, body, nil, nil, nil)
        }
    }
}

private func callChecked(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard let record = unsafe FunctionRecord.of(context) else { return }
    unsafe record.pointee.call(context, count, arguments)
}

private func callChecking(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard let record = unsafe FunctionRecord.of(context) else { return }
    let entry = unsafe record.pointee.function
    guard unsafe entry.pointee.counts.contains(Int(count)) else {
        return unsafe sqlite3_result_error(context, "wrong number of arguments to \(entry.pointee.name)()", -1)
    }
    unsafe record.pointee.call(context, count, arguments)
}

extension QueryFunction {
    /// All SQL functions of queries except aggregates and functions of FTS5.
    static let all: [QueryFunction] =
        values + comparisons + arithmetic + truth + keys + constructors + conditions + strings + numbers + types
        + arrays + arrayChanges + arraySets + objects + objectChanges + distances + vectors + dates + regularExpressions
        + mongo + geometries
        + fullText

    /// The SQL functions that read a value from a document's body, and that count visited rows.
    private static let values: [QueryFunction] = [
        .init("query_value", 1...many) { call in try call.giveValue(inBody: 0) },
        .init("query_visited", 3, isDeterministic: false) { call in call.countVisit() },
    ]
}

/// The user data of an SQL function of queries: its entry in the table of functions, and the work of its connection.
@safe struct FunctionRecord {
    let function: UnsafeMutablePointer<QueryFunction>
    let work: UnsafeMutablePointer<ConnectionWork>

    /// Returns the record of the called SQL function.
    @inline(__always)
    static func of(_ context: OpaquePointer?) -> UnsafeMutablePointer<FunctionRecord>? {
        unsafe sqlite3_user_data(context)?.assumingMemoryBound(to: FunctionRecord.self)
    }

    /// Calls the function, and makes the statement fail if it throws.
    @inline(__always)
    func call(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
        let call = unsafe QueryCall(context, count, arguments, work)
        do { try unsafe function.pointee.body(call) } catch { call.fail(error) }
    }
}

/// The records of the functions of one connection, and the work that they charge, in memory that is freed with the
/// last function that is registered.
@safe struct FunctionRecords {
    private let records: UnsafeMutablePointer<FunctionRecord>
    let work: UnsafeMutablePointer<ConnectionWork>

    /// Allocates records for all functions of the table.
    init() {
        unsafe work = .allocate(capacity: 1)
        unsafe work.initialize(to: ConnectionWork())
        unsafe records = .allocate(capacity: QueryFunction.count)
    }

    /// Initializes the record of a function of the table.
    func add(_ function: UnsafeMutablePointer<QueryFunction>) -> UnsafeMutablePointer<FunctionRecord> {
        let record = unsafe records + QueryFunction.index(of: function)
        unsafe record.initialize(to: FunctionRecord(function: function, work: work))
        return unsafe record
    }

    /// Registers the SQL function `query_work()`, the number of units of work that the functions of the connection have
    /// charged. SQLite frees the records with this function, which must therefore be the last one to be registered: if
    /// all functions are registered again, it is also the last one to be replaced.
    ///
    /// - Returns: a result code of SQLite. <https://sqlite.org/c3ref/create_function.html>
    func registerOwner(on connection: OpaquePointer) -> CInt {
        let made = Owner(self)
        // Released by the destructor. SQLite also calls it if the registration fails, and the records, which other
        // functions use, are leaked then.
        let owner = unsafe Unmanaged.passRetained(made).toOpaque()
        _ = unsafe Unmanaged.passRetained(made)
        let code = unsafe sqlite3_create_function_v2(
            connection, "query_work", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, owner,
            { context, _, _ in
                guard let owner = unsafe sqlite3_user_data(context) else { return }
                let units = unsafe Unmanaged<Owner>.fromOpaque(owner).takeUnretainedValue().units
                unsafe sqlite3_result_int64(context, Int64(units))
            }, nil, nil,
            { owner in if let owner = unsafe owner { unsafe Unmanaged<Owner>.fromOpaque(owner).release() } })
        if code == SQLITE_OK { unsafe Unmanaged.passUnretained(made).release() }
        return code
    }

    private final class Owner {
        private let records: FunctionRecords

        init(_ records: FunctionRecords) { self.records = records }

        var units: Int { unsafe records.work.pointee.counter.units }

        deinit {
            // Neither records nor work have anything to be deinitialized.
            unsafe records.records.deallocate()
            unsafe records.work.deallocate()
        }
    }
}
