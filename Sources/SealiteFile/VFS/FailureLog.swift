import CSQLite
import Glibc
import Synchronization

/// Why calls of the VFS failed, kept for the opener: SQLite itself passes on no more than a code.
enum FailureLog {
    private struct OpenFailure: Sendable {
        let path: String
        let error: SealedFileError
        let number: Int
        let thread: UInt
    }

    private static let openFailures = Mutex<[OpenFailure]>([])
    private static let openFailureCount = Atomic<Int>(0)
    private static let openFailureLimit = 32

    /// Notes a failure on an open file.
    static func note(_ error: SealedFileError, on file: VFSFile) {
        file.lastFailure = error
        (file as? any SidecarFile)?.main?.lastFailure = error
        log(error)
    }

    /// Notes a failure to open, which leaves no file object to keep it.
    static func note(_ error: SealedFileError, opening path: String) {
        let failure = OpenFailure(
            path: path, error: error, number: openFailureCount.add(1, ordering: .relaxed).newValue,
            thread: UInt(pthread_self()))
        openFailures.withLock { failures in
            failures.removeAll { $0.path == path }
            failures.append(failure)
            if failures.count > openFailureLimit { failures.removeFirst() }
        }
        log(error)
    }

    static func forgetFailure(opening path: String) {
        openFailures.withLock { failures in failures.removeAll { $0.path == path } }
    }

    static func failure(opening path: String) -> SealedFileError? {
        // SQLite gives files their full names.
        let full = FilePermissions.fullPath(path)
        return openFailures.withLock { failures in failures.last { $0.path == path || $0.path == full }?.error }
    }

    /// The newest failure to open any path.
    static var newestOpeningFailure: SealedFileError? { openFailures.withLock { $0.last?.error } }

    /// The number of openings that have failed in this process so far.
    static var openingFailureMark: Int { openFailureCount.load(ordering: .relaxed) }

    /// Why this thread failed to open a file, if it did since the mark.
    static func openingFailure(since mark: Int) -> SealedFileError? {
        let thread = UInt(pthread_self())
        return openFailures.withLock { $0.last { $0.number > mark && $0.thread == thread }?.error }
    }

    /// Notes why nothing can be made beside a database, for whoever opens it and whoever has it open.
    static func note(_ error: SealedFileError, besides file: MainFile) {
        file.lastFailure = error
        note(error, opening: file.path)
    }

    private static func log(_ error: SealedFileError) {
        unsafe error.reason.withCString { unsafe sealite_log(SQLITE_IOERR, $0) }
    }
}

/// File controls of our own, between our API and our VFS on one connection. https://sqlite.org/c3ref/file_control.html
enum PrivateControl {
    /// Argument: where to store a retained `FailureBox`, or NULL where nothing failed. Without one: forget it.
    static let failure: CInt = 0x5EA1_0001
    /// Argument: an unretained `FileTask`.
    static let perform: CInt = 0x5EA1_0002
    /// Argument: an unretained `PageOneCapture`, which takes every page 1 that the connection reads from then on.
    static let capturePageOne: CInt = 0x5EA1_0003
    /// Argument: an unretained `ReadLockKeeper`, which gets the locks of the connection's read transactions from then on.
    static let keepReadLocks: CInt = 0x5EA1_0004

    final class FailureBox {
        let error: SealedFileError
        init(_ error: SealedFileError) { self.error = error }
    }

    static func answerFailure(_ file: VFSFile?, _ argument: UnsafeMutableRawPointer?) -> CInt {
        guard let file else { return SQLITE_NOTFOUND }
        guard let argument = unsafe argument else {
            file.lastFailure = nil
            return SQLITE_OK
        }
        let slot = unsafe argument.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        unsafe slot.pointee = file.lastFailure.map { unsafe Unmanaged.passRetained(FailureBox($0)).toOpaque() }
        return SQLITE_OK
    }
}

/// A WAL or journal, which belongs to a main file.
protocol SidecarFile: AnyObject {
    var main: MainFile? { get }
}
