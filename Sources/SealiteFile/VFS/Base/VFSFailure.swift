import CSQLite
import SealiteCrypto

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
