import CSQLite
import SealiteFile

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
