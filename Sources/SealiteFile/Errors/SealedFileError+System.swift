import CSQLite
import Glibc
internal import SealiteBase

extension SealedFileError {
    /// Creates the error for a failed system call on a file. `what` is the action in progress, such as "writing".
    package init(errno number: CInt, doing what: String, _ path: String) {
        let text = unsafe String(cString: strerror(number))
        let code: Code
        switch number {
        case EEXIST: code = .exists
        case ENOENT: code = .noSuchFile
        case EACCES, EPERM, EROFS: code = .permission
        case ENOSPC, EDQUOT: code = .diskFull
        default: code = .inputOutput
        }
        self.init(code, "\(what) \"\(path)\" failed: \(text)")
    }

    /// Creates the error for an SQLite result code for which the encrypting VFS recorded no reason. `message` is
    /// SQLite's own; nil for its general text for the code. https://sqlite.org/rescode.html
    package init(sqlite code: CInt, message: String? = nil, doing what: String) {
        let text = unsafe message ?? String(cString: sqlite3_errstr(code))
        let kind: Code
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: kind = .busy
        case SQLITE_FULL: kind = .diskFull
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: kind = .permission
        case SQLITE_CORRUPT: kind = .integrity
        case SQLITE_NOTADB: kind = .notSealed
        case SQLITE_IOERR, SQLITE_CANTOPEN: kind = .inputOutput
        case SQLITE_MISUSE, SQLITE_NOMEM, SQLITE_INTERNAL: kind = .internalFailure
        default: kind = .statement
        }
        let hint = kind == .busy ? FileRemedy.waitForLock.hint : nil
        self.init(kind, "\(what): \(text) (SQLite code \(code))", hint: hint)
    }
}
