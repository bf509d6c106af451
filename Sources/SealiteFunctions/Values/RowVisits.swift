import CSQLite

/// Counters of the rows that a statement visits, one for each of its sources, which `query_visited` counts up.
///
/// The SQL function `query_visited(counters, n, …)` is true and adds one to counter *n*. The counters come as a pointer
/// (<https://sqlite.org/bindptr.html>), which SQL can't make; anything else leaves the function true without an effect.
// Sendable isn't needed: the counters belong to the one who runs the statement.
@safe
package struct RowVisits: ~Copyable {
    /// The type of the pointer that SQLite compares. <https://sqlite.org/c3ref/bind_blob.html>
    private static let pointerType: StaticString = "sealite-row-visits"

    private let counters: UnsafeMutableBufferPointer<Int64>

    /// Counters at 0.
    package init(count: Int) {
        unsafe counters = .allocate(capacity: count)
        unsafe counters.initialize(repeating: 0)
    }

    deinit { unsafe counters.deallocate() }

    /// The numbers of visited rows.
    package var counts: [Int64] { unsafe Array(counters) }

    /// Binds the counters, which must live until the statement is reset or bound anew.
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

    /// Adds one to a counter of a value that was bound as counters.
    ///
    /// The number is not compared with the number of counters, which the pointer doesn't tell: who binds counters writes the statement.
    static func count(_ value: OpaquePointer?, _ number: Int) {
        let address = unsafe withType { unsafe sqlite3_value_pointer(value, $0) }
        guard let address = unsafe address?.assumingMemoryBound(to: Int64.self), number >= 0 else { return }
        unsafe address[number] &+= 1
    }
}
