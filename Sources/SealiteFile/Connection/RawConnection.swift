import CSQLite
import Glibc
internal import SealiteBase
package import Synchronization

/// An SQLite connection for Sealite's own work, such as changes of the header, verification and copies. Used from one
/// thread at a time.
@safe package final class RawConnection {
    package let handle: OpaquePointer
    /// The path of the file, for messages.
    package let path: String
    private var openingMark = 0
    /// The paths of the SQLite extensions that were loaded on the connection.
    package internal(set) var extensions: [String] = []
    /// The byte offset, in the last script that `run(_:parameters:into:)` ran, of the place where SQLite failed to
    /// compile a statement; nil if it compiled all or reports no offset. https://sqlite.org/c3ref/errcode.html
    package internal(set) var failedOffset: Int?

    /// Opens a database by URI. `path` is for messages, and `busyTimeout` is the time to wait for a lock, nil for the
    /// standard time. https://sqlite.org/c3ref/open.html
    package init(
        uri: String, path: String, flags: CInt = SQLITE_OPEN_READWRITE, busyTimeout: Duration? = nil
    ) throws(SealedFileError) {
        let mark = FailureLog.openingFailureMark
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(uri, &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened = unsafe handle else {
            let error = FailureLog.openingFailure(since: mark) ?? Self.openingError(code, path: path)
            unsafe sqlite3_close_v2(handle)
            throw error.about(path)
        }
        unsafe self.handle = unsafe opened
        self.path = DraftPath.shown(path)
        let standard = Self.standardBusyMilliseconds.load(ordering: .relaxed)
        unsafe sqlite3_busy_timeout(opened, busyTimeout?.lockMilliseconds ?? standard)
    }

    /// The default time in milliseconds for which a connection waits for a lock.
    package static let standardBusyMilliseconds = Atomic<Int32>(5000)

    deinit { unsafe sqlite3_close_v2(handle) }

    private static func openingError(_ code: CInt, path: String) -> SealedFileError {
        FilePermissions.reasonNotToOpen(path) ?? SealedFileError(sqlite: code, doing: "opening \"\(path)\"")
    }

    /// Makes the connection wait for locks in short steps, for about `duration` in all or somewhat longer. SQLite's
    /// own handler soon sleeps for 100 ms at a time, and a busy writer may never leave the lock free for that long.
    /// https://sqlite.org/c3ref/busy_handler.html
    func waitEagerly(for duration: Duration) {
        unsafe sqlite3_busy_handler(
            handle,
            { limit, count in
                guard count < Int(bitPattern: limit) else { return 0 }
                usleep(200)
                return 1
            }, UnsafeMutableRawPointer(bitPattern: 5 * Int(duration.lockMilliseconds)))
    }

    /// Runs statements and discards their rows. https://sqlite.org/c3ref/exec.html
    package func execute(_ sql: String) throws(SealedFileError) {
        forgetFailures()
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Runs one statement, with the values `bind` for its parameters ?1, ?2 and so on, and passes every row to `row`.
    package func query(
        _ sql: String, bind: [SQLValue] = [], row: (borrowing RawRow) throws(SealedFileError) -> Void = { _ in }
    ) throws(SealedFileError) {
        forgetFailures()
        var statement: OpaquePointer?
        var code = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let prepared = unsafe statement else { throw error(code) }
        assert(
            unsafe bind.count == Int(sqlite3_bind_parameter_count(prepared)), "SQLite takes a missing value for NULL")
        defer { unsafe sqlite3_finalize(prepared) }
        for (index, value) in bind.enumerated() { unsafe value.bind(to: prepared, CInt(index + 1)) }
        code = unsafe sqlite3_step(prepared)
        while code == SQLITE_ROW {
            unsafe try row(RawRow(statement: prepared))
            code = unsafe sqlite3_step(prepared)
        }
        guard code == SQLITE_DONE else { throw error(code) }
    }

    /// Runs a query that returns at most one row, and returns its first column as a number; 0 if there is no row or the
    /// value is NULL.
    package func integer(_ sql: String, bind: [SQLValue] = []) throws(SealedFileError) -> Int64 {
        var value: Int64 = 0
        try query(sql, bind: bind) { (row) throws(SealedFileError) in value = row.integer(0) }
        return value
    }

    /// Returns the texts in the first column of all rows; an empty text for NULL.
    package func texts(_ sql: String, bind: [SQLValue] = []) throws(SealedFileError) -> [String] {
        var texts: [String] = []
        try query(sql, bind: bind) { (row) throws(SealedFileError) in texts.append(row.text(0) ?? "") }
        return texts
    }

    /// Runs a query that returns at most one row, and returns its first column as text; nil if there is no row or the
    /// value is NULL.
    package func text(_ sql: String) throws(SealedFileError) -> String? {
        var value: String?
        try query(sql) { (row) throws(SealedFileError) in value = row.text(0) }
        return value
    }

    /// Returns the error for a result code, with the reason that the encrypting VFS recorded if the failure was its
    /// own.
    package func error(_ code: CInt) -> SealedFileError {
        let primary = code & 0xFF
        let message = unsafe String(cString: sqlite3_errmsg(handle))
        let isAttached = message.hasPrefix("unable to open database: ")
        if isAttached || primary == SQLITE_CANTOPEN, let noted = FailureLog.openingFailure(since: openingMark) {
            return isAttached ? noted.ofAttached : noted
        }
        let isOurs = [SQLITE_IOERR, SQLITE_AUTH, SQLITE_NOTADB, SQLITE_READONLY, SQLITE_ERROR, SQLITE_CANTOPEN]
        let mayBeOurs = isOurs.contains(primary) || primary == SQLITE_MISUSE
        if mayBeOurs, let noted = unsafe PrivateControl.failure(of: handle) {
            if primary != SQLITE_ERROR || noted.code == .refused { return noted.about(path) }
        }
        if primary == SQLITE_ERROR, let missing = SealedFileError.missingFunctions(message) {
            return missing.about(path)
        }
        return SealedFileError(sqlite: code, message: message, doing: "\"\(path)\"")
    }

    /// Discards two kinds of recorded failures, so that the next statement reports neither: the failures to open files,
    /// which `ATTACH` can cause, and the last failure on the main database.
    func forgetFailures() {
        openingMark = FailureLog.openingFailureMark
        _ = unsafe control(PrivateControl.failure, nil)
    }

    /// Runs a task inside the VFS, on the connection's open database file.
    package func perform(_ task: FileTask) throws(SealedFileError) {
        let code = unsafe control(PrivateControl.perform, Unmanaged.passUnretained(task).toOpaque())
        if let failure = task.failure { throw failure.about(path) }
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Runs a task inside the VFS while SQLite's write lock is held. The transaction is begun only for its lock, and is
    /// rolled back: the task itself writes to the file. Calls `last` after the task and before the lock is released.
    package func underWriteLock(
        _ task: FileTask, beforeUnlocking last: () throws(SealedFileError) -> Void = {}
    ) throws(SealedFileError) {
        // For a file that can't be written SQLite silently begins a read-only transaction.
        guard unsafe sqlite3_db_readonly(handle, "main") != 1 else {
            throw SealedFileError(
                .permission, "\"\(path)\" can't be written: it is open for reading only",
                hint: "open it for reading and writing, or check its owner, mode and file system")
        }
        assert(!isInTransaction, "the transaction is begun for its lock alone, and rolled back")
        try execute("BEGIN IMMEDIATE")
        do throws(SealedFileError) {
            try perform(task)
            try last()
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
        try execute("ROLLBACK")
    }

    /// Sends a file control to the open file of a schema, such as "main". Returns SQLite's result code.
    package func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?, schema: String = "main") -> CInt {
        unsafe sqlite3_file_control(handle, schema, operation, argument)
    }
}

extension SealedFileError {
    /// This error with a reason and hint that fit a failed ATTACH, which neither creates sealed databases nor takes a
    /// key.
    fileprivate var ofAttached: SealedFileError {
        switch code {
        case .noSuchFile:
            SealedFileError(
                code, "\(reason), and ATTACH doesn't create sealed databases",
                hint: FileRemedy.attachMissing.hint)
        case .notUnlocked:
            SealedFileError(
                code, reason,
                hint: FileRemedy.attachLocked.hint)
        case .plainDatabase:
            SealedFileError(code, reason, hint: FileRemedy.attachPlain.hint)
        default: self
        }
    }
}

extension RawConnection {
    /// Runs statements that are interrupted once `isStopped` returns true. The closure is called every few milliseconds
    /// on the calling thread while SQLite works.
    ///
    /// - Throws: `cancelled` if `isStopped` returned true, otherwise the errors of `body`.
    package func stopping<Result>(
        if isStopped: @escaping () -> Bool, _ body: () throws(SealedFileError) -> Result
    ) throws(SealedFileError) -> Result {
        var hasStopped = false
        do throws(SealedFileError) {
            return try unsafe ProgressHandler.run(
                on: handle, every: 20_000,
                { _ in
                    hasStopped = hasStopped || isStopped()
                    return hasStopped
                }, body)
        } catch {
            guard hasStopped else { throw error }
            throw SealedFileError(.cancelled, "the work on \"\(path)\" was cancelled, and nothing of it was kept")
        }
    }
}

extension RawConnection {
    /// SQLite's keywords in upper case. https://sqlite.org/c3ref/keyword_check.html
    package static var keywords: [String] {
        (0..<sqlite3_keyword_count()).compactMap { index in
            var word: UnsafePointer<CChar>?
            var length: CInt = 0
            let code = unsafe sqlite3_keyword_name(index, &word, &length)
            guard code == SQLITE_OK, let word = unsafe word else { return nil }
            // The word isn't NUL-terminated.
            return unsafe String(decoding: UnsafeRawBufferPointer(start: word, count: Int(length)), as: UTF8.self)
        }
    }
}

extension Duration {
    /// The duration in whole milliseconds, clamped to the range of `Int64`.
    package var milliseconds: Int64 {
        let (product, isOver) = components.seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isOverToo) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        return isOver || isOverToo ? (self < .zero ? .min : .max) : sum
    }

    /// The duration in whole milliseconds as SQLite takes the times to wait for locks: 0 for a negative one, and at most
    /// 24 days.
    package var lockMilliseconds: Int32 { Int32(clamping: max(0, milliseconds)) }
}
