import CSQLite
import SealiteJSON

/// An SQL aggregate function of queries with one argument, as it is registered on SQLite connections.
struct AggregateFunction {
    let name: StaticString
    let type: Aggregate.Type

    /// All aggregate functions, in memory that is never freed, since SQLite keeps pointers to the entries.
    // The table is immutable after its creation.
    private nonisolated(unsafe) static let table: UnsafeMutableBufferPointer<AggregateFunction> = {
        let functions: [AggregateFunction] = [
            .init(name: "query_sum", type: Sum.self), .init(name: "query_avg", type: Average.self),
            .init(name: "query_min", type: Minimum.self), .init(name: "query_max", type: Maximum.self),
            .init(name: "query_array_agg", type: ArrayAggregate.self),
        ]
        let table = UnsafeMutableBufferPointer<AggregateFunction>.allocate(capacity: functions.count)
        _ = unsafe table.initialize(from: functions)
        return unsafe table
    }()

    /// Registers all aggregate functions on one open SQLite connection, on its thread.
    ///
    /// - Returns: a result code of SQLite.
    ///   https://sqlite.org/windowfunctions.html#user_defined_aggregate_window_functions
    static func register(on connection: OpaquePointer) -> CInt {
        let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC
        for index in unsafe table.indices {
            let entry = unsafe table.baseAddress.unsafelyUnwrapped + index
            let name = unsafe entry.pointee.name
            let code = unsafe name.utf8Start.withMemoryRebound(
                to: CChar.self, capacity: name.utf8CodeUnitCount + 1
            ) {
                unsafe sqlite3_create_window_function(
                    connection, $0, 1, flags, entry, aggregateStep, aggregateFinal, aggregateValue, aggregateInverse,
                    nil)
            }
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    /// Creates the state of the called aggregate function, without rows; nil if the function is unknown.
    fileprivate static func make(_ context: OpaquePointer?) -> Aggregate? {
        guard let entry = unsafe sqlite3_user_data(context) else { return nil }
        return unsafe entry.assumingMemoryBound(to: AggregateFunction.self).pointee.type.init()
    }
}

/// SQLite's memory for a group: a reference to the state of the aggregate, which the final call releases.
private typealias Slot = UnsafeMutablePointer<UnsafeMutableRawPointer?>

private func slot(_ context: OpaquePointer?, makes: Bool) -> Slot? {
    let size = unsafe makes ? CInt(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
    guard let memory = unsafe sqlite3_aggregate_context(context, size) else { return nil }
    return unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

/// Returns the state of the aggregate for the group of a call; nil for a group without rows.
func aggregate(_ context: OpaquePointer?) -> Aggregate? {
    guard let slot = unsafe slot(context, makes: false), let object = unsafe slot.pointee else { return nil }
    return unsafe Unmanaged<Aggregate>.fromOpaque(object).takeUnretainedValue()
}

private func aggregateStep(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard let slot = unsafe slot(context, makes: true) else { return unsafe sqlite3_result_error_nomem(context) }
    if unsafe slot.pointee == nil, let made = unsafe AggregateFunction.make(context) {
        unsafe slot.pointee = Unmanaged.passRetained(made).toOpaque()
    }
    let call = unsafe QueryCall(context, count, arguments)
    guard let aggregate = unsafe aggregate(context) else { return }
    aggregate.add(call[0])
    // SQLite itself would find only at the end that the result is too long.
    if aggregate.byteCount >= LargeResults.leastByteCount, aggregate.byteCount > call.maximumByteCount {
        call.failAsTooLarge()
    }
}

private func aggregateInverse(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    unsafe aggregate(context)?.remove(QueryCall(context, count, arguments)[0])
}

private func aggregateValue(_ context: OpaquePointer?) {
    let known = unsafe aggregate(context) ?? AggregateFunction.make(context)
    let call = unsafe QueryCall(context, 0, nil)
    do { try known?.give(to: call) } catch { call.fail(error) }
}

private func aggregateFinal(_ context: OpaquePointer?) {
    unsafe aggregateValue(context)
    guard let slot = unsafe slot(context, makes: false), let object = unsafe slot.pointee else { return }
    unsafe slot.pointee = nil
    unsafe Unmanaged<Aggregate>.fromOpaque(object).release()
}

/// The state of an SQL aggregate function over the rows of a group or of a window's frame.
class Aggregate {
    required init() {}

    /// Adds a row, given by the value of the function's argument.
    func add(_ value: FunctionValue) {}

    /// Removes the oldest row, given by its value, which has left the window's frame.
    func remove(_ value: FunctionValue) {}

    /// The number of bytes that the result would have, if it grows with the number of rows; otherwise 0.
    var byteCount: Int { 0 }

    /// Sets the result of a call to that of the aggregate over the rows that were added and not removed.
    func give(to call: QueryCall) throws {}
}

/// A copy of an argument's value, which can be kept after the call.
enum OwnedValue {
    /// MISSING, null, a Boolean, an integer or a double, which has no bytes that would need a copy.
    case plain(FunctionValue)
    /// A string, a number that is kept as text, an array or an object, as a copied JSONB element.
    case element([UInt8])

    init(_ value: FunctionValue) {
        switch value {
        case .string, .array, .object, .bigNumber:
            var writer = JSONBWriter()
            writer.append(value)
            self = .element(writer.bytes)
        default: self = .plain(value)
        }
    }

    /// Calls `body` with the value, which is valid for the duration of the call.
    func with<Result>(_ body: (FunctionValue) -> Result) -> Result {
        switch self {
        case .plain(let value): body(value)
        case .element(let bytes):
            unsafe bytes.withUnsafeBufferPointer { body(unsafe FunctionValue(whole: $0) ?? .null) }
        }
    }
}
