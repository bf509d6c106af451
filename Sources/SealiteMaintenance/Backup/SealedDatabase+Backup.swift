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
        try copy.loadExtensions(extensions)
        let (pageCount, catchUpCount) = try copyPages(uri: uri ?? self.uri, to: copy, progress)
        let integrity = try copy.verifyWritten(progress, hint: MaintenanceRemedy.verifySource.hint)
        return BackupReport(
            path: file.path, databaseID: keys.ring.databaseID.hex, pageCount: pageCount, pageSize: pageSize,
            byteCount: FilePermissions.size(of: file.temporaryPath), catchUpCount: catchUpCount, integrity: integrity)
    }

    /// Copies the pages and closes both connections, so that the check afterwards reads from the file.
    func copyPages(
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

/// A handler called regularly with the progress of a backup, a restore or a salvage. Returning false cancels the work,
/// which then leaves no file behind.
public typealias BackupProgressHandler = (BackupProgress) -> Bool

extension SealedFileError {
    static let backupCancelled = SealedFileError(
        .cancelled, "the backup, restore or salvage was cancelled, and its unfinished file was removed")
}

/// The progress of a backup, a restore or a salvage.
public struct BackupProgress: Sendable, Equatable {
    /// The phases of a backup, a restore or a salvage. The numbers count pages in every phase.
    public enum Phase: String, Sendable {
        /// Every page of a damaged file is examined; only in a salvage.
        case scanning
        /// The copy is written.
        case copying
        /// The copy is read again: every page is authenticated, then SQLite's integrity check runs.
        case verifying
    }

    /// The phase that the work is in.
    public let phase: Phase
    /// The number of pages completed in this phase.
    public let completed: Int
    /// The total number of pages in this phase; 0 if the total isn't known.
    public let total: Int
}

/// The result of a backup of a database. The backup was read again and found intact.
public struct BackupReport: Sendable, Equatable, Encodable {
    /// The path of the backup.
    public let path: String
    /// The backup's own database id, 32 hex digits.
    public let databaseID: String
    /// The number of pages in the backup.
    public let pageCount: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// The size of the backup file in bytes.
    public let byteCount: Int64
    /// The number of passes in which changed pages were copied again because other connections had committed; only in
    /// rollback-journal mode.
    public let catchUpCount: Int
    /// The result of SQLite's integrity check of the backup; `skipped` if the check needs functions or collations of
    /// the application.
    public let integrity: IntegrityOutcome
}

/// The key slots of a backup that gets new ones instead of the database's.
public struct BackupSlotOptions: Sendable {
    /// The label of the first key slot, at most 32 bytes of UTF-8; empty for none.
    public var label: String
    /// A recovery key, which gets the second key slot; nil for none.
    public var recoveryKey: RecoveryKey?

    /// Creates options. By default the slot has no label and there is no recovery slot.
    public init(label: String = "", recoveryKey: RecoveryKey? = nil) {
        self.label = label
        self.recoveryKey = recoveryKey
    }
}
