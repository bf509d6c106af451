import CSQLite

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
