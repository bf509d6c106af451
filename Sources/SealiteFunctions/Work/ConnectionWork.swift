import CSQLite
import Glibc
import Synchronization

/// An error that ends the call of an SQL function, and with it the statement that the call is in.
enum CallFailure: Error {
    /// The statement was interrupted.
    case interrupted
    /// The result would be longer than SQLite's values may be, or the results of functions would take more memory than
    /// `ConnectionWork.memoryLimit` in total.
    case tooLarge
}

/// The work that the SQL functions have done on one connection, and the memory of their large results
/// (Documentation/QueryFunctions.md §6).
///
/// SQLite looks for an interruption only between two calls. A function therefore charges its work to the connection's
/// `WorkCounter`, and fails when it finds an interruption.
// Not Sendable: used on the thread that runs the connection's statement.
struct ConnectionWork {
    /// The maximum number of bytes of the memory that SQLite uses in the process, with what functions of one connection
    /// need beside it, when a function makes a large result.
    static let memoryLimit = 4 << 30

    /// The work of all calls on the connection. A look for an interruption costs some 3 µs.
    private(set) var counter = WorkCounter()
    /// The bytes of memory that count against `memoryLimit` now, in addition to those that SQLite has allocated.
    private var held = 0

    /// Charges units of work that a call of the connection does next, or has just done.
    ///
    /// - Throws: `interrupted` if it is time to look for an interruption, and the statement was interrupted.
    @inline(__always)
    mutating func charge(_ count: Int, _ context: OpaquePointer?) throws(CallFailure) {
        if counter.charge(count) { try unsafe Self.look(context) }
    }

    @inline(never)
    private static func look(_ context: OpaquePointer?) throws(CallFailure) {
        if unsafe isInterrupted(sqlite3_context_db_handle(context)) { throw .interrupted }
    }

    /// Counts memory that a call or one of its results takes.
    ///
    /// - Throws: `tooLarge` if the limit is exceeded; the memory isn't counted then.
    mutating func take(_ byteCount: Int) throws(CallFailure) {
        try check(byteCount)
        held += byteCount
    }

    /// Checks that a call may allocate memory.
    ///
    /// - Throws: `tooLarge` if the limit would be exceeded, or if the system has no memory of this size: Swift's own
    ///   allocation would end the process then.
    func check(_ byteCount: Int) throws(CallFailure) {
        guard byteCount <= Self.memoryLimit - held - Int(sqlite3_memory_used()), let memory = unsafe malloc(byteCount)
        else { throw .tooLarge }
        unsafe free(memory)
    }

    /// Subtracts memory that `take` counted.
    mutating func giveBack(_ byteCount: Int) { held -= byteCount }

    /// Returns whether the statement in progress on a connection was interrupted.
    ///
    /// `sqlite3_is_interrupted` exists from SQLite 3.41 on only. Its parser, however, has always refused a new statement
    /// while an interrupted one is in progress, whoever interrupted it. <https://sqlite.org/c3ref/interrupt.html>
    static func isInterrupted(_ connection: OpaquePointer?) -> Bool {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(connection, "SELECT 1", -1, &statement, nil)
        unsafe sqlite3_finalize(statement)
        return code == SQLITE_INTERRUPT
    }
}

/// The units of work that an operation has done, and when it looks next whether it was cancelled: the one budget of SQL
/// functions, full-text search, and MongoDB's expressions, filters and pipelines (Documentation/Queries.md §5).
///
/// A unit is an item, a member, a word or a comparison of two values, or 64 bytes that are copied, searched or compared.
/// The total isn't limited. An operation that charges its work as it does it, or before, does at most `interval` units,
/// and one pass over one of its values, after it was cancelled.
///
/// Public and inlinable, since Swift inlines no `package` declaration into another module: a call for each comparison,
/// with the checks of exclusive access around it, cost pipelines 5 % more instructions.
public struct WorkCounter {
    /// The maximum number of units between two looks.
    public static let interval = 1 << 18

    @usableFromInline var total = 0
    @usableFromInline var nextLook: Int
    @usableFromInline let interval: Int

    /// The number of units that were charged.
    public var units: Int { total }

    /// Creates a counter for an operation that looks each `interval` units, at most ``interval`` of the type.
    public init(interval: Int = Self.interval) { (self.interval, nextLook) = (interval, interval) }

    /// Charges units of work.
    ///
    /// - Returns: true if the operation must now look whether it was cancelled.
    @inlinable @inline(__always)
    public mutating func charge(_ count: Int) -> Bool {
        total &+= count
        guard total >= nextLook else { return false }
        nextLook = total &+ interval
        return true
    }

    /// Returns the number of units of a pass over bytes.
    @inlinable @inline(__always)
    public static func units(ofBytes byteCount: Int) -> Int { 1 + byteCount >> 6 }
}

/// The large results of SQL functions that SQLite holds: their memory is passed to SQLite without a copy, and counts
/// for their connection until SQLite frees it.
enum LargeResults {
    /// The size in bytes from which on a result is passed without a copy.
    static let leastByteCount = 1 << 20

    /// A result: its size, and the address of the work of its connection.
    private struct Entry {
        let byteCount: Int
        let work: UInt
    }

    /// The results by the addresses of their bytes.
    private static let entries = Mutex<[UInt: Entry]>([:])

    /// The number of results that SQLite holds, on all connections.
    static var count: Int { entries.withLock(\.count) }

    /// Counts the bytes of a result, which the caller passes to SQLite with `free` as their destructor.
    ///
    /// - Throws: `tooLarge` if the memory of the connection's results exceeds its limit; the bytes are freed then.
    static func add(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, _ work: UnsafeMutablePointer<ConnectionWork>
    ) throws(CallFailure) {
        do throws(CallFailure) {
            try unsafe work.pointee.take(bytes.count)
        } catch {
            unsafe bytes.baseAddress?.deallocate()
            throw error
        }
        let entry = Entry(byteCount: bytes.count, work: UInt(bitPattern: work))
        let place = UInt(bitPattern: bytes.baseAddress)
        entries.withLock { $0[place] = entry }
    }

    /// Frees the bytes of a result, which SQLite calls on the thread that uses the connection.
    static let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = { bytes in
        let entry = LargeResults.entries.withLock { $0.removeValue(forKey: UInt(bitPattern: bytes)) }
        if let entry, let work = unsafe UnsafeMutablePointer<ConnectionWork>(bitPattern: entry.work) {
            unsafe work.pointee.giveBack(entry.byteCount)
        }
        unsafe bytes?.deallocate()
    }
}
