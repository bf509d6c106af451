import CSQLite

/// A function of queries, as it is registered on connections.
struct QueryFunction {
    let name: StaticString
    /// The numbers of arguments that the function takes.
    let counts: ClosedRange<Int>
    /// True if equal arguments always have an equal result.
    let isDeterministic: Bool
    let body: @Sendable (QueryCall) -> Void

    /// More arguments than SQLite takes for any function: it has a limit of its own.
    static let many = 32_767

    init(
        _ name: StaticString, _ counts: ClosedRange<Int>, isDeterministic: Bool = true,
        _ body: @escaping @Sendable (QueryCall) -> Void
    ) {
        (self.name, self.counts, self.isDeterministic, self.body) = (name, counts, isDeterministic, body)
    }

    init(
        _ name: StaticString, _ count: Int, isDeterministic: Bool = true,
        _ body: @escaping @Sendable (QueryCall) -> Void
    ) {
        self.init(name, count...count, isDeterministic: isDeterministic, body)
    }
}

extension QueryFunction {
    /// Every function but aggregates, in memory that is never freed: SQLite gets pointers to the entries.
    // Nothing writes to it after it is made.
    private nonisolated(unsafe) static let table: UnsafeMutableBufferPointer<QueryFunction> = {
        let functions = all
        let table = UnsafeMutableBufferPointer<QueryFunction>.allocate(capacity: functions.count)
        _ = unsafe table.initialize(from: functions)
        return unsafe table
    }()

    /// Gives every function to one open connection, on its thread.
    ///
    /// - Returns: a result code of SQLite. https://sqlite.org/c3ref/create_function.html
    static func register(on connection: OpaquePointer) -> CInt {
        for index in unsafe table.indices {
            let entry = unsafe table.baseAddress.unsafelyUnwrapped + index
            let code = unsafe register(entry, on: connection)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    private static func register(
        _ entry: UnsafeMutablePointer<QueryFunction>, on connection: OpaquePointer
    ) -> CInt {
        let (name, counts) = unsafe (entry.pointee.name, entry.pointee.counts)
        let pure = unsafe entry.pointee.isDeterministic ? SQLITE_DETERMINISTIC : 0
        // Innocuous: indexes and triggers of a file may call them on connections that don't trust its schema.
        let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | pure
        let isFixed = counts.count == 1
        let count = isFixed ? CInt(counts.lowerBound) : -1
        // One body for each kind: SQLite checks fixed numbers of arguments itself.
        let body: FunctionBody = unsafe isFixed ? callChecked : callChecking
        return unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            unsafe sqlite3_create_function_v2(connection, $0, count, flags, entry, body, nil, nil, nil)
        }
    }
}

private func callChecked(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard let entry = unsafe sqlite3_user_data(context) else { return }
    unsafe entry.assumingMemoryBound(to: QueryFunction.self).pointee.body(QueryCall(context, count, arguments))
}

private func callChecking(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard let entry = unsafe sqlite3_user_data(context)?.assumingMemoryBound(to: QueryFunction.self) else { return }
    guard unsafe entry.pointee.counts.contains(Int(count)) else {
        return unsafe sqlite3_result_error(context, "wrong number of arguments to \(entry.pointee.name)()", -1)
    }
    unsafe entry.pointee.body(QueryCall(context, count, arguments))
}
