import CSQLite
import Glibc
import Synchronization

/// The reasons of failed VFS calls: SQLite passes on a result code and no reason.
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

    /// Records a failure on an open file and, if it is a WAL or a journal, on its database file too.
    static func note(_ error: SealedFileError, on file: VFSFile) {
        file.lastFailure = error
        (file as? any SidecarFile)?.main?.lastFailure = error
        log(error)
    }

    /// Records a failure to open a file, for which no file object exists that could keep the failure.
    static func note(_ error: SealedFileError, opening path: String) {
        keep(error, ofClosed: path)
        log(error)
    }

    /// Keeps a failure whose file isn't open, or not any more, until the path is opened again.
    static func keep(_ error: SealedFileError, ofClosed path: String) {
        let failure = OpenFailure(
            path: path, error: error, number: openFailureCount.add(1, ordering: .relaxed).newValue,
            thread: UInt(pthread_self()))
        openFailures.withLock { failures in
            failures.removeAll { $0.path == path }
            failures.append(failure)
            if failures.count > openFailureLimit { failures.removeFirst() }
        }
    }

    static func forgetFailure(opening path: String) {
        openFailures.withLock { failures in failures.removeAll { $0.path == path } }
    }

    static func failure(opening path: String) -> SealedFileError? {
        // SQLite passes full path names to the VFS.
        let full = FilePermissions.fullPath(path)
        return openFailures.withLock { failures in failures.last { $0.path == path || $0.path == full }?.error }
    }

    /// The newest failure to open any path; nil if none is recorded.
    static var newestOpeningFailure: SealedFileError? { openFailures.withLock { $0.last?.error } }

    /// The number of failures to open a file in this process so far; see `openingFailure(since:)`.
    static var openingFailureMark: Int { openFailureCount.load(ordering: .relaxed) }

    /// Returns the last failure of this thread to open a file since `mark`, an earlier value of `openingFailureMark`;
    /// nil if there was none.
    static func openingFailure(since mark: Int) -> SealedFileError? {
        let thread = UInt(pthread_self())
        return openFailures.withLock { $0.last { $0.number > mark && $0.thread == thread }?.error }
    }

    private static func log(_ error: SealedFileError) {
        unsafe error.reason.withCString { unsafe sealite_log(SQLITE_IOERR, $0) }
    }
}

/// A WAL or rollback journal of a database file that is open through the encrypting VFS.
protocol SidecarFile: AnyObject {
    var main: VFSFile? { get }
}
