import CSQLite
import Glibc
import SealiteFile

/// Copies every page of one sealed database into another file, while other connections read and write it.
///
/// In WAL mode SQLite's online backup reads one snapshot and blocks nobody. For rollback-journal mode see
/// `CatchUpPass`. https://sqlite.org/c3ref/backup_finish.html
struct PageCopier {
    let source: RawConnection
    /// The file to fill. It still has its temporary name, so after a crash it is discarded whatever its journal
    /// contains.
    let destination: SealedDatabase
    let progress: BackupProgressHandler

    var catchUpCount = 0
    var pageCount = 0
    private var isHolding = false
    /// The number of copied pages that was reported last.
    private var completed = 0

    private static let pagesPerStep: CInt = 1024
    /// The maximum time to wait for a lock, in milliseconds.
    private static let waitLimit: CInt = 30_000

    init(source: RawConnection, destination: SealedDatabase, progress: @escaping BackupProgressHandler) {
        self.source = source
        self.destination = destination
        self.progress = progress
    }

    mutating func run() throws(SealedFileError) {
        unsafe sqlite3_busy_timeout(source.handle, 0)
        defer { release() }
        while true {
            if try isWAL() {
                try hold()
                return try copySnapshot()
            }
            if try copyCatchingUp() { return }
            // Another connection has switched the database to WAL mode.
            release()
        }
    }

    private mutating func copySnapshot() throws(SealedFileError) {
        let copy = try destination.connect()
        try copy.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE")
        guard let backup = unsafe sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
            throw copy.error(unsafe sqlite3_extended_errcode(copy.handle))
        }
        let outcome = Result { () throws(SealedFileError) in unsafe try step(backup, copy) }
        let code = unsafe sqlite3_backup_finish(backup)
        try outcome.get()
        guard code == SQLITE_OK else { throw failure(code, copy) }
    }

    /// Returns whether the database is in WAL mode, as an open connection sees it: its page 1 may be newer in the log
    /// than in the file.
    func isWAL() throws(SealedFileError) -> Bool {
        var mode: String?
        let code = try waiting {
            do throws(SealedFileError) {
                mode = try source.text("PRAGMA journal_mode")
                return SQLITE_OK
            } catch {
                return unsafe sqlite3_errcode(source.handle)
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
        return mode == "wal"
    }

    private mutating func step(_ backup: OpaquePointer, _ copy: RawConnection) throws(SealedFileError) {
        while true {
            let code = try waiting { unsafe sqlite3_backup_step(backup, Self.pagesPerStep) }
            guard code == SQLITE_OK || code == SQLITE_DONE else { throw failure(code, copy) }
            pageCount = Int(unsafe sqlite3_backup_pagecount(backup))
            try tell(pageCount - Int(unsafe sqlite3_backup_remaining(backup)))
            if code == SQLITE_DONE { return }
        }
    }

    /// Reports the number of copied pages.
    mutating func tell(_ done: Int) throws(SealedFileError) {
        completed = min(done, pageCount)
        try tellAgain()
    }

    /// Reports the last number again, so that the backup can be cancelled while it waits.
    private func tellAgain() throws(SealedFileError) {
        let now = BackupProgress(phase: .copying, completed: completed, total: pageCount)
        guard progress(now) else { throw .backupCancelled }
    }

    /// Begins a read transaction, whose lock prevents commits in rollback-journal mode.
    mutating func hold() throws(SealedFileError) {
        try source.execute("BEGIN")
        isHolding = true
        let code = try waiting {
            unsafe sqlite3_exec(source.handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private mutating func release() {
        if isHolding { try? source.execute("ROLLBACK") }
        isHolding = false
    }

    /// Retries while other connections hold locks, at much shorter intervals than SQLite's own busy handler: a writer
    /// that is always active leaves the lock free only while it writes its journal.
    private func waiting(_ call: () -> CInt) throws(SealedFileError) -> CInt {
        let end = ContinuousClock.now + .milliseconds(Int(Self.waitLimit))
        var lastTold = ContinuousClock.now
        while true {
            let code = call()
            guard code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED else { return code }
            let now = ContinuousClock.now
            guard now < end else { throw .neverFree(source.path, seconds: Self.waitLimit / 1000) }
            if now - lastTold >= .milliseconds(2) {
                lastTold = now
                try tellAgain()
            }
            usleep(.random(in: 20...200))
        }
    }

    /// Returns the error of the source if the source failed, otherwise the error of the copy: the result code of
    /// sqlite3_backup doesn't tell them apart.
    private func failure(_ code: CInt, _ copy: RawConnection? = nil) -> SealedFileError {
        unsafe SealedDatabase.failure(of: source.handle)?.about(source.path) ?? (copy ?? source).error(code)
    }
}

extension SealedFileError {
    fileprivate static func neverFree(_ path: String, seconds: CInt) -> SealedFileError {
        SealedFileError(
            .busy,
            "\"\(path)\" couldn't be read within \(seconds) seconds: other connections held a lock on it",
            hint:
                "pause the programs that write to it, or use 'PRAGMA journal_mode=WAL', in which backups and writers don't wait for "
                + "each other"
        )
    }
}
