import CSQLite

/// Ends the statements of one connection when their end is requested, until ``end()``. The connection must stay open as
/// long.
@safe package final class StatementWatch {
    private let handle: OpaquePointer
    private let includesWrites: Bool
    private let progress: ProgressHandler

    /// The number of SQLite VM instructions between two looks.
    private static let stepCount: CInt = 10_000

    /// Begins to watch a connection. If `includesWrites` is true, writes of pages fail too, without which a VACUUM can't
    /// be ended in its last part.
    package init(_ handle: OpaquePointer, _ stop: StatementStop, includesWrites: Bool = false) {
        unsafe self.handle = unsafe handle
        self.includesWrites = includesWrites
        progress = unsafe ProgressHandler(on: handle, every: Self.stepCount) { _ in
            // SQLite asks once more after a statement has committed, when no transaction is open any more: the statement
            // must not be reported as interrupted then.
            unsafe stop.isRequested && sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE
        }
        if includesWrites { setStopOfWrites(stop) }
    }

    /// Stops watching.
    package func end() {
        progress.end()
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
