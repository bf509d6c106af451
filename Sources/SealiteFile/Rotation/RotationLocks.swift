import CSQLite

/// The locks of a key rotation, taken on a separate connection. On a shared one, SQLite's own checkpoint would be
/// granted the same lock again and release it.
extension RawConnection {
    private static let checkpointLock: CInt = 1

    /// Runs `task` while no other connection can write the database file. In WAL mode the checkpoint lock excludes
    /// them, while writers continue to append to the log; in rollback mode the write lock does. `timeout` is the time
    /// to wait for the checkpoint lock.
    package func excludingDatabaseWriters(_ task: FileTask, timeout: Duration) throws(SealedFileError) {
        // Reading first makes the connection notice the current journal mode and roll back a hot journal.
        if try !usesLog(), try underJournalLock(task) { return }
        try perform(locking(task, timeout: timeout))
    }

    /// Runs a change of the header while no connection seals anything: under the checkpoint lock and then the write
    /// lock, in SQLite's order; in rollback mode under the write lock alone. `timeout` is the time to wait for
    /// the checkpoint lock.
    func withDatabaseQuiet(_ task: FileTask, timeout: Duration) throws(SealedFileError) {
        if try !usesLog(), try underJournalLock(task) { return }
        let begin = FileTask { (file, _) throws(SealedFileError) in
            try Self.takeCheckpointLock(file, timeout: timeout)
        }
        let end = FileTask { (file, _) throws(SealedFileError) in Self.dropCheckpointLock(file) }
        try perform(begin)
        defer { try? perform(end) }
        try underWriteLock(task)
    }

    /// Returns the path of the open database file, in which SQLite has resolved symbolic links. The sidecar of a
    /// rotation lies beside that file, as the log and the journal do.
    func resolvedPath() throws(SealedFileError) -> String {
        var path = ""
        try perform(FileTask { (file, _) throws(SealedFileError) in path = file.origin.path })
        return path
    }

    private func usesLog() throws(SealedFileError) -> Bool {
        _ = try integer("SELECT count(*) FROM sqlite_schema")
        return try text("PRAGMA journal_mode") == "wal"
    }

    /// Runs `task` under the write lock of rollback mode and returns true. Returns false, without running it, if
    /// another connection has switched the database to WAL mode meanwhile, where the write lock doesn't exclude
    /// checkpoints. This connection then has the log open, so nobody can switch the mode back.
    private func underJournalLock(_ task: FileTask) throws(SealedFileError) -> Bool {
        var hasRun = false
        let attempt = FileTask { (file, _) throws(SealedFileError) in
            guard file.wal == nil else { return }
            hasRun = true
            try Self.run(task, on: file)
        }
        try underWriteLock(attempt)
        return hasRun
    }

    private static func run(_ task: FileTask, on file: MainFile) throws(SealedFileError) {
        do throws(VFSFailure) {
            try task.perform(on: file)
        } catch {
            throw task.failure
                ?? SealedFileError(
                    .internalFailure, "a task under a lock of \"\(file.origin.path)\" failed without a reason")
        }
    }

    private func locking(_ task: FileTask, timeout: Duration) -> FileTask {
        FileTask { (file, sealed) throws(SealedFileError) in
            try Self.takeCheckpointLock(file, timeout: timeout)
            defer { Self.dropCheckpointLock(file) }
            try Self.run(task, on: file)
        }
    }

    private static func takeCheckpointLock(_ file: MainFile, timeout: Duration) throws(SealedFileError) {
        var waited = Duration.zero
        while true {
            let code = file.base.shmLock(checkpointLock, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
            if code == SQLITE_OK { break }
            guard code & 0xFF == SQLITE_BUSY, waited < timeout else {
                throw SealedFileError(sqlite: code, doing: "waiting for the checkpoint lock of \"\(file.origin.path)\"")
            }
            sqlite3_sleep(2)
            waited += .milliseconds(2)
        }
        do throws(VFSFailure) {
            try file.preparation.run(mayWriteDatabase: true)
        } catch {
            dropCheckpointLock(file)
            throw error.detail
                ?? SealedFileError(sqlite: error.code, doing: "preparing to write \"\(file.origin.path)\"")
        }
    }

    private static func dropCheckpointLock(_ file: MainFile) {
        _ = file.base.shmLock(checkpointLock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
    }
}
