import Synchronization

/// A request that statements end without an effect. Any thread may make it, at any time, and it isn't withdrawn.
///
/// sqlite3_interrupt ends only a statement that is running at that moment. A request also ends the statements that begin
/// afterwards, and the last part of a VACUUM, in which SQLite looks for no interrupt.
package final class StatementStop: Sendable {
    private let wasRequested = Atomic<Bool>(false)

    package init() {}

    /// A Boolean value that says whether the statements are to end.
    @inline(__always)
    package var isRequested: Bool { wasRequested.load(ordering: .acquiring) }

    /// Requests the end. The statements of a connection end within some hundred microseconds if it is watched
    /// (``StatementWatch``).
    package func request() { wasRequested.store(true, ordering: .releasing) }
}
