import CSQLite

/// A failure inside a method of the encrypting VFS: the code for SQLite, and the error for people.
package struct VFSFailure: Error {
    package let code: CInt
    let detail: SealedFileError?

    package init(_ code: CInt, _ detail: SealedFileError? = nil) {
        self.code = code
        self.detail = detail
    }

    /// Creates a failure for an error of the encryption, with the SQLite code that fits it.
    package init(_ error: SealedFileError) {
        let code =
            switch error.code {
            case .damagedPage, .damagedFrame, .damagedJournal, .foreignJournal, .damagedHeader, .tamperedHeader:
                SQLITE_IOERR_DATA
            case .notSealed, .notAFile, .plainDatabase, .unsupportedVersion: SQLITE_NOTADB
            case .notUnlocked, .wrongKey, .locked, .unlockAgain: SQLITE_AUTH
            case .busy: SQLITE_BUSY
            default: SQLITE_IOERR
            }
        self.init(code, error)
    }

    static let shortRead = VFSFailure(SQLITE_IOERR_SHORT_READ)
}

// Extended result codes, which the C header defines by macros that Swift doesn't import.
// https://sqlite.org/rescode.html#extrc
let SQLITE_IOERR_READ = SQLITE_IOERR | 1 << 8
package let SQLITE_IOERR_SHORT_READ = SQLITE_IOERR | 2 << 8
let SQLITE_IOERR_WRITE = SQLITE_IOERR | 3 << 8
let SQLITE_IOERR_FSYNC = SQLITE_IOERR | 4 << 8
let SQLITE_IOERR_TRUNCATE = SQLITE_IOERR | 6 << 8
let SQLITE_IOERR_FSTAT = SQLITE_IOERR | 7 << 8
let SQLITE_IOERR_UNLOCK = SQLITE_IOERR | 8 << 8
let SQLITE_IOERR_DELETE = SQLITE_IOERR | 10 << 8
let SQLITE_IOERR_DELETE_NOENT = SQLITE_IOERR | 23 << 8
let SQLITE_IOERR_ACCESS = SQLITE_IOERR | 13 << 8
let SQLITE_IOERR_CHECKRESERVEDLOCK = SQLITE_IOERR | 14 << 8
let SQLITE_IOERR_LOCK = SQLITE_IOERR | 15 << 8
let SQLITE_IOERR_SHMLOCK = SQLITE_IOERR | 20 << 8
let SQLITE_IOERR_SHMMAP = SQLITE_IOERR | 21 << 8
let SQLITE_IOERR_DATA = SQLITE_IOERR | 32 << 8
package let SQLITE_READONLY_RECOVERY = SQLITE_READONLY | 1 << 8
package let SQLITE_READONLY_ROLLBACK = SQLITE_READONLY | 3 << 8
package let SQLITE_READONLY_CANTINIT = SQLITE_READONLY | 5 << 8
package let SQLITE_READONLY_DIRECTORY = SQLITE_READONLY | 6 << 8
