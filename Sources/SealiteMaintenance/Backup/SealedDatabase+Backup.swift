import CSQLite
import SealiteCrypto
public import SealiteFile

/// Online backups: sealed, consistent, and read again before they get their name.
extension SealedDatabase {
    /// Writes a sealed backup with this database's master key and key slots, under a database id and a page key of its own:
    /// whatever opens the database opens the backup.
    ///
    /// Others may go on reading and writing. The backup is one state of the database, that of one moment while this runs.
    /// It appears whole or not at all, and never over another file. Blocks for as long as it takes.
    ///
    /// - Parameters:
    ///   - path: the backup's path, which must not exist. Its mode is 0600.
    ///   - progress: called on this thread, about once per mebibyte; false gives the backup up.
    /// - Returns: counts of what was written.
    /// - Throws: `SealedFileError`: `exists`, `permission`, `diskFull`, `busy`, `damagedPage`, `damagedFrame`, `integrity`
    ///   (what was written isn't sound), `locked`, `cancelled`, `inputOutput`.
    public func backup(
        to path: String, progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> BackupReport {
        let file = try NewFile(path)
        let report = try writeBackup(into: file, keys: try backupKeys(path: path), progress: progress)
        try file.publish()
        return report
    }

    /// Writes a sealed backup with key slots of its own and a new master key: nothing that opens the database opens the
    /// backup, unless it is given here again.
    ///
    /// - Parameters:
    ///   - path: the backup's path, which must not exist.
    ///   - slot: the secret of its first key slot.
    ///   - options: its label, and a recovery slot beside it.
    ///   - progress: called on this thread; false gives the backup up.
    /// - Returns: counts of what was written.
    /// - Throws: `SealedFileError`, as ``backup(to:progress:)``; `invalidArgument`, `costRefused` for the slot.
    public func backup(
        to path: String, slot: borrowing NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions(),
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> BackupReport {
        let file = try NewFile(path)
        var creation = CreationOptions(
            pageSize: pageSize, label: options.label, recoveryKey: options.recoveryKey)
        creation.applicationKey = try ring.applicationKey()
        let keys = try NewDatabase(slot: slot, options: creation, path: path)
        let report = try writeBackup(into: file, keys: keys, progress: progress)
        try file.publish()
        return report
    }

    /// The keys of a backup that has this database's slots, as they are on disk now.
    func backupKeys(path: String) throws(SealedFileError) -> NewDatabase {
        try ring.follow(try BaseHandle.readHeader(self.path, vfs: vfs.base))
        return try NewDatabase(like: ring, path: path)
    }

    /// Copies into a file that has its temporary name, and reads again what was written.
    func writeBackup(
        into file: NewFile, keys: NewDatabase, uri: String? = nil, progress: @escaping BackupProgressHandler
    ) throws(SealedFileError) -> BackupReport {
        try file.write(try keys.image(autoVacuum: .none))
        let copy = SealedDatabase(path: file.temporaryPath, ring: keys.ring, vfs: vfs)
        defer { copy.lock() }
        let (pageCount, catchUpCount) = try copyPages(uri: uri ?? self.uri, to: copy, progress)
        let integrity = try copy.verifyWritten(progress)
        return BackupReport(
            path: file.path, databaseID: keys.ring.databaseID.hex, pageCount: pageCount, pageSize: pageSize,
            byteCount: FilePermissions.size(of: file.temporaryPath), catchUpCount: catchUpCount, integrity: integrity,
            warnings: keys.ring.content.keptSlotWarnings)
    }

    /// Both connections are closed at the end: what is verified afterwards is what lies in the file.
    private func copyPages(
        uri: String, to copy: SealedDatabase, _ progress: @escaping BackupProgressHandler
    ) throws(SealedFileError) -> (pageCount: Int, catchUpCount: Int) {
        var copier = PageCopier(
            source: try RawConnection(uri: uri, path: path), destination: copy, progress: progress)
        try copier.run()
        return (copier.pageCount, copier.catchUpCount)
    }

    /// Reads every page of a file just written, and has SQLite check the content.
    func verifyWritten(_ progress: BackupProgressHandler) throws(SealedFileError) -> IntegrityOutcome {
        var goesOn = true
        let report = try verify { now in
            guard goesOn else { return }
            goesOn = progress(BackupProgress(phase: .verifying, completed: now.done, total: now.total))
        }
        guard goesOn else { throw .backupCancelled }
        let damage = report.findings.filter { $0.severity == .damage }
        guard let first = damage.first else { return report.integrity }
        // The check runs functions and collations of the application where constraints and indexes name them.
        if damage.allSatisfy({ $0.part == .content && $0.code == .statement }) { return .skipped }
        throw SealedFileError(
            .integrity, "what was written isn't sound: \(first.part.rawValue) \(first.first ?? 0): \(first.reason)",
            hint: "run 'sealite verify' on the source; 'sealite salvage' gets out what a damaged file still holds")
    }
}
