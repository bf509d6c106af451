import CSQLite

/// Counters of the rows that a statement visits, one for each of its sources, which `query_visited` increments.
///
/// The SQL function `query_visited(counters, n, …)` returns true and increments counter *n*. The counters are passed as
/// a pointer (<https://sqlite.org/bindptr.html>), which SQL can't construct; with any other value the function returns
/// true without an effect.
// Not Sendable: the counters are used on the thread that runs the statement.
@safe
package struct RowVisits: ~Copyable {
    /// The name of the type of the pointer that is passed through SQLite. <https://sqlite.org/c3ref/bind_blob.html>
    private static let pointerType: StaticString = "sealite-row-visits"

    private let counters: UnsafeMutableBufferPointer<Int64>

    /// Creates the given number of counters with the value 0.
    package init(count: Int) {
        unsafe counters = .allocate(capacity: count)
        unsafe counters.initialize(repeating: 0)
    }

    deinit { unsafe counters.deallocate() }

    /// The numbers of visited rows, in the order of the counters.
    package var counts: [Int64] { unsafe Array(counters) }

    /// Binds the counters to the parameter of a statement at a position, from 1. They must live until the statement is
    /// reset or bound again.
    package func bind(to statement: OpaquePointer, at position: CInt) {
        unsafe Self.withType { type in
            _ = unsafe sqlite3_bind_pointer(statement, position, Self.address(counters), type, nil)
        }
    }

    private static func address(_ counters: UnsafeMutableBufferPointer<Int64>) -> UnsafeMutableRawPointer? {
        unsafe counters.baseAddress.map { UnsafeMutableRawPointer($0) }
    }

    private static func withType<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe pointerType.utf8Start.withMemoryRebound(
            to: CChar.self, capacity: pointerType.utf8CodeUnitCount + 1, body)
    }

    /// Increments the counter with a number, from 0, of those that are passed in a value of SQLite; does nothing if the
    /// value isn't counters.
    ///
    /// The counter's number isn't checked, since the pointer doesn't contain the number of counters: the author of the
    /// statement must pass a valid one.
    static func count(_ value: OpaquePointer?, _ number: Int) {
        let address = unsafe withType { unsafe sqlite3_value_pointer(value, $0) }
        guard let address = unsafe address?.assumingMemoryBound(to: Int64.self), number >= 0 else { return }
        unsafe address[number] &+= 1
    }
}
