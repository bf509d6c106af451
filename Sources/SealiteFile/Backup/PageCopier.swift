import CSQLite
import Glibc

/// Copies every page of one sealed database to another with SQLite's online backup. https://sqlite.org/c3ref/backup_finish.html
///
/// In WAL mode it reads one snapshot, and nobody waits. With a rollback journal it lets writers in between steps, and begins
/// anew when one commits; after `restartLimit` times it keeps its read lock to the end, so that it does end.
struct PageCopier {
    let source: RawConnection
    let destination: RawConnection
    let progress: BackupProgressHandler

    private(set) var restartCount = 0
    private(set) var pageCount = 0
    private var isHolding = false

    static let restartLimit = 3
    private static let pagesPerStep: CInt = 1024
    /// How long to wait for a lock, in milliseconds.
    private static let waitLimit: CInt = 30_000

    init(source: RawConnection, destination: RawConnection, progress: @escaping BackupProgressHandler) {
        self.source = source
        self.destination = destination
        self.progress = progress
    }

    mutating func run() throws(SealedFileError) {
        // The copy has only its temporary name: a crash makes it worthless whatever its journal says.
        unsafe sqlite3_busy_timeout(source.handle, 0)
        try destination.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE")
        let isWAL = try isWAL()
        if isWAL { try hold() }
        defer { if isHolding { try? source.execute("ROLLBACK") } }
        guard let backup = unsafe sqlite3_backup_init(destination.handle, "main", source.handle, "main") else {
            throw destination.error(unsafe sqlite3_extended_errcode(destination.handle))
        }
        let outcome = Result { () throws(SealedFileError) in unsafe try step(backup) }
        let code = unsafe sqlite3_backup_finish(backup)
        try outcome.get()
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Asked of the open database, since its page 1 may be newer in the log than in the file.
    private func isWAL() throws(SealedFileError) -> Bool {
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

    private mutating func step(_ backup: OpaquePointer) throws(SealedFileError) {
        var done = 0
        while true {
            let code = try waiting { unsafe sqlite3_backup_step(backup, Self.pagesPerStep) }
            guard code == SQLITE_OK || code == SQLITE_DONE else { throw failure(code) }
            pageCount = Int(unsafe sqlite3_backup_pagecount(backup))
            let now = pageCount - Int(unsafe sqlite3_backup_remaining(backup))
            // A step that goes on where the last one ended gets further.
            if now <= done, code != SQLITE_DONE { try noteRestart() }
            done = now
            guard progress(BackupProgress(phase: .copying, completed: done, total: pageCount)) else {
                throw .backupCancelled
            }
            if code == SQLITE_DONE { return }
        }
    }

    private mutating func noteRestart() throws(SealedFileError) {
        restartCount += 1
        if restartCount >= Self.restartLimit, !isHolding { try hold() }
    }

    private mutating func hold() throws(SealedFileError) {
        try source.execute("BEGIN")
        isHolding = true
        let code = try waiting {
            unsafe sqlite3_exec(source.handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Tries again while others hold locks, far more often than SQLite's own busy handler does: a writer that never rests
    /// leaves the lock free only for the moments in which it writes its journal.
    private func waiting(_ call: () -> CInt) throws(SealedFileError) -> CInt {
        let end = ContinuousClock.now + .milliseconds(Int(Self.waitLimit))
        var lastTold = ContinuousClock.now
        while true {
            let code = call()
            guard code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED else { return code }
            let now = ContinuousClock.now
            guard now < end else { throw .neverFree(source.path) }
            if now - lastTold >= .milliseconds(2) {
                lastTold = now
                guard progress(BackupProgress(phase: .copying, completed: 0, total: pageCount)) else {
                    throw .backupCancelled
                }
            }
            usleep(.random(in: 20...200))
        }
    }

    /// Whose failure it was: SQLite gives one code for both files.
    private func failure(_ code: CInt) -> SealedFileError {
        unsafe SealedDatabase.failure(of: source.handle)?.about(source.path) ?? destination.error(code)
    }
}

extension SealedFileError {
    fileprivate static func neverFree(_ path: String) -> SealedFileError {
        SealedFileError(
            .busy, "\"\(path)\" was never free to be read: a writer holds it, or one follows the other without a pause",
            hint: "let the writers pause, or use 'PRAGMA journal_mode=WAL', in which nobody waits")
    }
}
