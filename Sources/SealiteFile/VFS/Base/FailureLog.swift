import CSQLite
import Glibc
import Synchronization

/// The reasons of failed VFS calls, since SQLite itself passes on only a code.
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

    /// Records a failure on an open file.
    static func note(_ error: SealedFileError, on file: VFSFile) {
        file.lastFailure = error
        (file as? any SidecarFile)?.main?.lastFailure = error
        log(error)
    }

    /// Records a failure to open, for which no file object exists.
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
        // SQLite passes full path names to the VFS.
        let full = FilePermissions.fullPath(path)
        return openFailures.withLock { failures in failures.last { $0.path == path || $0.path == full }?.error }
    }

    /// The newest failure to open any path.
    static var newestOpeningFailure: SealedFileError? { openFailures.withLock { $0.last?.error } }

    /// The number of failed openings in this process so far.
    static var openingFailureMark: Int { openFailureCount.load(ordering: .relaxed) }

    /// Returns the reason why this thread failed to open a file since the mark; nil if it opened all of them.
    static func openingFailure(since mark: Int) -> SealedFileError? {
        let thread = UInt(pthread_self())
        return openFailures.withLock { $0.last { $0.number > mark && $0.thread == thread }?.error }
    }

    private static func log(_ error: SealedFileError) {
        unsafe error.reason.withCString { unsafe sealite_log(SQLITE_IOERR, $0) }
    }
}
