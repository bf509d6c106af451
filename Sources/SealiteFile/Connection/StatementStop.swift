import CSQLite
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

/// Ends the statements of one connection when their end is requested, until ``end()``. The connection must stay open as
/// long, and has no other progress handler meanwhile.
@safe package final class StatementWatch {
    private let handle: OpaquePointer
    private let stop: StatementStop
    private let includesWrites: Bool

    /// The number of SQLite VM instructions between two looks.
    private static let stepCount: CInt = 10_000

    /// Begins to watch a connection. If `includesWrites` is true, writes of pages fail too, without which a VACUUM can't
    /// be ended in its last part. https://sqlite.org/c3ref/progress_handler.html
    package init(_ handle: OpaquePointer, _ stop: StatementStop, includesWrites: Bool = false) {
        unsafe self.handle = unsafe handle
        (self.stop, self.includesWrites) = (stop, includesWrites)
        if includesWrites { setStopOfWrites(stop) }
        unsafe sqlite3_progress_handler(
            handle, Self.stepCount,
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue().endsStatement ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// A Boolean value that says whether the running statement is to end. SQLite asks once more after a statement has
    /// committed, when no transaction is open any more: the statement must not be reported as interrupted then.
    private var endsStatement: Bool {
        guard stop.isRequested else { return false }
        return unsafe sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE
    }

    /// Stops watching.
    package func end() {
        unsafe sqlite3_progress_handler(handle, 0, nil, nil)
        if includesWrites { setStopOfWrites(nil) }
    }

    /// Sets the request on which writes of pages to the log or journal of each database of the connection fail; nil for
    /// none.
    private func setStopOfWrites(_ stop: StatementStop?) {
        let argument = unsafe stop.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        var number: CInt = 0
        while let schema = unsafe sqlite3_db_name(handle, number) {
            // A database without the encrypting VFS doesn't know the control.
            unsafe sqlite3_file_control(handle, schema, PrivateControl.stopWrites, argument)
            number += 1
        }
    }
}
