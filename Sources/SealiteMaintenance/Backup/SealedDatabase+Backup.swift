import CSQLite
import SealiteBase
public import SealiteFile

/// Online backups: sealed, consistent, and checked before they get their names.
extension SealedDatabase {
    /// Writes a sealed backup with this database's master key and key slots, under a new database id and page key.
    /// Every secret that opens the database opens the backup.
    ///
    /// Other connections may continue to read and write. The backup is one snapshot of the database, taken during the
    /// call. It is created completely or not at all, and never replaces a file. Blocks until it is complete.
    ///
    /// - Parameters:
    ///   - path: the backup's path, which must not exist. Its mode is 0600.
    ///   - progress: called regularly on this thread; returning false cancels the backup.
    /// - Returns: a report: the backup's database id and sizes, and the result of SQLite's integrity check.
    /// - Throws: `SealedFileError`: `exists`, `noSuchFile` if the folder doesn't exist, `permission`, `diskFull`,
    ///   `busy`, `damagedPage`, `damagedFrame`, `integrity` (the backup isn't intact), `locked`, `cancelled`,
    ///   `inputOutput`.
    public func backup(
        to path: String, progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> BackupReport {
        let file = try NewFile(path, writer: .connection(base: vfs.base))
        let report = try writeBackup(into: file, keys: try backupKeys(path: path), progress: progress)
        try file.publish()
        return report
    }

    /// Writes a sealed backup with a new master key and new key slots. The database's secrets don't open the backup,
    /// unless the same secrets are passed for its slots.
    ///
    /// - Parameters:
    ///   - path: the backup's path, which must not exist.
    ///   - slot: the secret of its first key slot.
    ///   - options: the slot's label, and an additional recovery slot.
    ///   - progress: called on this thread; returning false cancels the backup.
    /// - Returns: a report: the backup's database id and sizes, and the result of SQLite's integrity check.
    /// - Throws: `SealedFileError`, as ``backup(to:progress:)``; `invalidArgument`, `costRefused` for the slot.
    public func backup(
        to path: String, slot: borrowing NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions(),
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> BackupReport {
        let file = try NewFile(path, writer: .connection(base: vfs.base))
        try followHeader()
        var creation = CreationOptions(
            pageSize: pageSize, label: options.label, recoveryKey: options.recoveryKey)
        creation.applicationKey = try ring.applicationKey()
        let keys = try NewDatabase(slot: slot, options: creation, path: path)
        let report = try writeBackup(into: file, keys: keys, progress: progress)
        try file.publish()
        return report
    }

    /// Returns the keys and header of a backup that keeps this database's master key and key slots, and has a new
    /// database id and page key.
    func backupKeys(path: String) throws(SealedFileError) -> NewDatabase {
        try followHeader()
        return try NewDatabase(like: ring, path: path)
    }

    /// Adopts the slots and keys of the file's header, which another process may have changed since the handle read it.
    private func followHeader() throws(SealedFileError) {
        try ring.follow(try BaseHandle.readHeader(path, vfs: vfs.base))
    }

    /// Copies the database into a file that still has its temporary name, and checks the copy. `uri` is the URI with
    /// which the database is read; nil for the one of this handle.
    func writeBackup(
        into file: NewFile, keys: NewDatabase, uri: String? = nil, progress: @escaping BackupProgressHandler
    ) throws(SealedFileError) -> BackupReport {
        try file.write(try keys.image(autoVacuum: .none))
        let copy = SealedDatabase(
            path: file.temporaryPath, ring: keys.ring, vfs: vfs.reaching(file.temporaryPath))
        defer { copy.lock() }
        let (pageCount, catchUpCount) = try copyPages(uri: uri ?? self.uri, to: copy, progress)
        let integrity = try copy.verifyWritten(progress, hint: MaintenanceRemedy.verifySource.hint)
        return BackupReport(
            path: file.path, databaseID: keys.ring.databaseID.hex, pageCount: pageCount, pageSize: pageSize,
            byteCount: FilePermissions.size(of: file.temporaryPath), catchUpCount: catchUpCount, integrity: integrity)
    }

    /// Copies the pages and closes both connections, so that the check afterwards reads from the file.
    private func copyPages(
        uri: String, to copy: SealedDatabase, _ progress: @escaping BackupProgressHandler
    ) throws(SealedFileError) -> (pageCount: Int, catchUpCount: Int) {
        var copier = PageCopier(
            source: try RawConnection(uri: uri, path: path), destination: copy, progress: progress)
        try copier.run()
        return (copier.pageCount, copier.catchUpCount)
    }

    /// Authenticates every page of a new file, has SQLite check the content, and returns the result of that check,
    /// which is `skipped` if it needs functions or collations of the application. Throws `integrity`, with the hint, if
    /// anything is damaged.
    func verifyWritten(_ progress: BackupProgressHandler, hint: String) throws(SealedFileError) -> IntegrityOutcome {
        var goesOn = true
        let report = try verify { now in
            guard goesOn else { return }
            goesOn = progress(BackupProgress(phase: .verifying, completed: now.done, total: now.total))
        }
        guard goesOn else { throw .backupCancelled }
        let damage = report.findings.filter { $0.severity == .damage }
        guard let first = damage.first else { return report.integrity }
        // The check calls the application's functions and collations if constraints and indexes use them.
        if damage.allSatisfy({ $0.part == .content && $0.code == .statement }) { return .skipped }
        throw SealedFileError(
            .integrity,
            "the new file is damaged and was removed: \(first.part.rawValue)\(first.first.map { " \($0)" } ?? ""): \(first.reason)",
            hint: hint)
    }
}
