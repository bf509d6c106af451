internal import CSQLite
internal import GRDB
internal import SealiteFile

extension DatabaseError {
    /// Creates an error for a SQLite result code (<https://sqlite.org/rescode.html>).
    init(resultCode: CInt, message: String, underlying: (any Error)? = nil) {
        let text = "SQLite says: \(message) (\(resultCode))"
        let (code, reason): (Code, String) =
            switch resultCode & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another connection holds the database's lock")
            case SQLITE_FULL:
                (
                    .diskFull,
                    "the disk is full, or the database has reached its maximum size; nothing of the operation was stored"
                )
            case SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
                (.permissionDenied, "writing to the database is not permitted. \(text)")
            case SQLITE_CANTOPEN:
                (.cantOpenFile, "the database file, or a file that SQLite keeps beside it, can't be opened. \(text)")
            case SQLITE_CORRUPT: (.corruptData, "the database is damaged. \(text)")
            case SQLITE_NOTADB:
                (.unreadableDatabase, "the file is not a database, or this key does not open it. \(text)")
            case SQLITE_IOERR: (.ioError, "reading or writing the database failed. \(text)")
            case SQLITE_INTERRUPT: (.cancelled, "the operation was cancelled")
            case SQLITE_ABORT:
                (.transactionLost, "the transaction was rolled back before the operation was done. \(text)")
            case SQLITE_MISUSE where message == "Connection is closed": (.notOpen, "the database is closed")
            case SQLITE_ERROR where message.hasPrefix("no such table: documents_"):
                (.notOpen, "the collection was deleted")
            default: (.unexpected, text)
            }
        self.init(code, reason, hint: code == .busy ? "try again" : nil, underlying: underlying)
    }

    /// Creates an error for an error of the sealing layer, which it keeps as the underlying error.
    init(sealed error: SealedFileError) {
        let code: Code =
            switch error.code {
            case .busy, .rotationUnderWay: .busy
            case .diskFull: .diskFull
            case .permission: .permissionDenied
            case .noSuchFile: .notFound
            case .locked, .afterFork, .fileReplaced: .notOpen
            case .notSealed, .notAFile, .plainDatabase, .unsupportedVersion, .wrongKey, .notUnlocked, .unlockAgain:
                .unreadableDatabase
            case .damagedHeader, .tamperedHeader, .damagedPage, .damagedFrame, .damagedJournal, .foreignJournal,
                .integrity, .rolledBack:
                .corruptData
            case .inputOutput: .ioError
            case .cancelled: .cancelled
            case .exists, .refused, .invalidArgument: .invalidParameter
            default: .unexpected
            }
        self.init(code, error.reason, hint: error.hint, underlying: error)
    }

    /// Creates an error for a failed call on a connection. If the sealing layer caused the failure, its error is used,
    /// because SQLite knows only that reading or writing failed.
    @safe
    init(connection: OpaquePointer?, resultCode: CInt, message: String) {
        if let connection = unsafe connection, let error = unsafe SealedDatabase.failure(of: connection) {
            self.init(sealed: error)
        } else {
            self.init(resultCode: resultCode, message: message)
        }
    }

    /// Runs `body`, all of whose errors are those of the storage, and converts them.
    @inline(__always)
    static func ofStorage<Result>(_ body: () throws -> Result) throws(DatabaseError) -> Result {
        do { return try body() } catch { throw DatabaseError(storage: error) }
    }

    /// Creates an error for an error of the storage.
    init(storage error: any Error) {
        switch error {
        case let error as DatabaseError:
            self = error
        case let error as SealedFileError:
            self.init(sealed: error)
        case let error as GRDB.DatabaseError:
            self.init(
                resultCode: error.extendedResultCode.rawValue, message: error.message ?? "unknown error",
                underlying: error)
        case is CancellationError:
            self.init(.cancelled, "the operation was cancelled", underlying: error)
        default:
            self.init(.unexpected, "the storage failed: \(error)", underlying: error)
        }
    }
}
