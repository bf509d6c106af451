internal import CTestVFS

/// A SQLite result code that a file system fails with.
package struct ResultCode: RawRepresentable, Error, Hashable, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// An extended code of `SQLITE_IOERR`; the C macros are out of Swift's reach.
    private init(ioError number: CInt) {
        rawValue = SQLITE_IOERR | (number << 8)
    }

    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    package static let noMemory = ResultCode(rawValue: SQLITE_NOMEM)
    package static let notFound = ResultCode(rawValue: SQLITE_NOTFOUND)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)

    package static let readFailed = ResultCode(ioError: 1)
    package static let shortRead = ResultCode(ioError: 2)
    package static let writeFailed = ResultCode(ioError: 3)
    package static let syncFailed = ResultCode(ioError: 4)
    package static let truncateFailed = ResultCode(ioError: 6)
    package static let sizeFailed = ResultCode(ioError: 7)
    package static let deleteFailed = ResultCode(ioError: 10)
    package static let accessFailed = ResultCode(ioError: 13)
    package static let nothingToDelete = ResultCode(ioError: 23)

    /// Throws unless `code` is `SQLITE_OK`.
    static func check(_ code: CInt) throws(ResultCode) {
        guard code == SQLITE_OK else { throw ResultCode(rawValue: code) }
    }
}
