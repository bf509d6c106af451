import CSQLite
import SealiteFile

/// A limit on the work of statements over what a file says in its schema, which may be endless if somebody else made it.
struct WorkLimit {
    /// The maximum number of steps of SQLite's virtual machine.
    let steps: Int
    /// The maximum length of a value in bytes.
    let valueByteCount: CInt

    /// Creates a limit that no sensible statement reaches that reads some pages a few times: a value can't be longer than
    /// the file that contains it, nor a result much longer.
    init(pageCount: Int, pageSize: Int) {
        steps = 20_000_000 + min(pageCount, 1 << 40) * 2_000_000
        let (byteCount, isTooMuch) = pageCount.multipliedReportingOverflow(by: 4 * pageSize)
        valueByteCount = isTooMuch ? .max : CInt(clamping: max(byteCount, 1 << 20))
    }
}

extension RawConnection {
    /// Runs `body`, whose statements together may do limited work.
    ///
    /// - Throws: `statement` if the statements take more steps; the errors of `body`, among them that of a value that is
    ///   too long.
    func limited(to limit: WorkLimit, _ body: () throws(SealedFileError) -> Void) throws(SealedFileError) {
        let counter = StepCounter(limit.steps)
        // SQLite's own limit is never raised. https://sqlite.org/c3ref/limit.html
        let length = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, limit.valueByteCount)
        defer { _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
        do throws(SealedFileError) {
            try unsafe counter.run(on: handle, body)
        } catch {
            guard counter.isExhausted else { throw error }
            throw SealedFileError(
                .statement, "it takes more than \(limit.steps) steps of SQLite, so it may have no end")
        }
    }
}

/// A database file locked against every other connection in any journal mode, for repairs of a file that SQLite can't
/// open. A connection in WAL mode holds a shared lock while it is open, so it conflicts too.
@safe final class ExclusiveHandle {
    private let handle: BaseHandle
    var file: BaseFile { handle.file }

    /// Locks a file, waiting for up to `busyTimeout`.
    ///
    /// - Throws: `SealedFileError`: `busy`, `permission`, `noSuchFile`, `inputOutput`.
    init(_ path: String, vfs: String, busyTimeout: Duration = .seconds(5)) throws(SealedFileError) {
        handle = try BaseHandle(path, vfs: vfs, flags: SQLITE_OPEN_READWRITE)
        var waited = Duration.zero
        while true {
            let code = Self.lock(handle.file)
            if code == SQLITE_OK { return }
            _ = handle.file.unlock(SQLITE_LOCK_NONE)
            guard code & 0xFF == SQLITE_BUSY, waited < busyTimeout else {
                guard code & 0xFF == SQLITE_BUSY else {
                    throw SealedFileError(sqlite: code, doing: "locking \"\(path)\"")
                }
                throw SealedFileError(
                    .busy, "\"\(path)\" is open in another connection or process",
                    hint: "close the database in that connection or process, then try again")
            }
            sqlite3_sleep(20)
            waited += .milliseconds(20)
        }
    }

    private static func lock(_ file: BaseFile) -> CInt {
        let code = file.lock(SQLITE_LOCK_SHARED)
        return code == SQLITE_OK ? file.lock(SQLITE_LOCK_EXCLUSIVE) : code
    }

    deinit { _ = handle.file.unlock(SQLITE_LOCK_NONE) }
}
