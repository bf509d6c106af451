import CSQLite
public import SealiteFile

/// Recovery of all authentic content from a damaged file.
extension SealedDatabase {
    /// Writes every readable row to a new sealed database with this one's master key and key slots.
    ///
    /// SQLite doesn't open the damaged file: pages, log frames and b-trees are read individually, and the file isn't
    /// changed. Tables get their rows back as far as the schema is readable; rows of unknown tables go into
    /// `lost_and_found(rootpgno, pgno, nfield, id, c0, …)`. Indexes, views and triggers are created again. No other
    /// program should be writing the file.
    ///
    /// - Parameters:
    ///   - path: the new database's path, which must not exist.
    ///   - progress: called on this thread; returning false cancels the salvage, which then leaves no file behind.
    /// - Returns: a report: the tables with the numbers of their recovered rows, and the lost parts.
    /// - Throws: `SealedFileError`: `exists`, `noSuchFile`, `permission`, `diskFull`, `busy`, `locked`, `cancelled`,
    ///   `inputOutput`; `integrity` if the new file isn't intact; `fileReplaced` and `unlockAgain` if the file is
    ///   another one, or its keys were rotated, since it was unlocked. Damage is reported, not thrown.
    public func salvage(
        to path: String, progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> SalvageReport {
        try salvage(to: path, guides: [], progress: progress)
    }

    /// Salvages as ``salvage(to:progress:)`` does, with guides to the tables of a program.
    package func salvage(
        to path: String, guides: [any SalvageGuide], progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> SalvageReport {
        let file = try NewFile(path, writer: .connection(base: vfs.base))
        try followReadableHeader()
        return try salvage(
            into: file, keys: try NewDatabase(like: ring, path: path), guides: guides, progress: progress)
    }

    /// Salvages as ``salvage(to:progress:)`` does, with a new master key and one new key slot (two with a recovery
    /// key).
    public func salvage(
        to path: String, slot: borrowing NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions(),
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> SalvageReport {
        try salvage(to: path, slot: slot, options: options, guides: [], progress: progress)
    }

    /// Salvages as ``salvage(to:slot:options:progress:)`` does, with guides to the tables of a program.
    package func salvage(
        to path: String, slot: borrowing NewSlotSecret, options: BackupSlotOptions = BackupSlotOptions(),
        guides: [any SalvageGuide], progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> SalvageReport {
        let file = try NewFile(path, writer: .connection(base: vfs.base))
        try followReadableHeader()
        var creation = CreationOptions(
            pageSize: pageSize, label: options.label, recoveryKey: options.recoveryKey)
        creation.applicationKey = try ring.applicationKey()
        return try salvage(
            into: file, keys: try NewDatabase(slot: slot, options: creation, path: path), guides: guides,
            progress: progress)
    }

    /// Uses a header backup to unlock a file whose two header copies are both lost, for ``salvage(to:progress:)``.
    /// Connections can't be opened through the handle; to use the file again, restore the header
    /// (``restoreHeader(of:from:key:limits:)``).
    ///
    /// - Throws: `SealedFileError`: the errors of unlocking the saved header, as
    ///   ``restoreHeader(of:from:key:limits:)``; `refused` if a header copy that is still readable is of another
    ///   database or of a later epoch.
    public static func openForSalvage(
        _ path: String, headerBackup: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits()
    ) throws(SealedFileError) -> SealedDatabase {
        try VFSChoice.standard.register()
        let saved = try savedHeader(headerBackup, key: key, limits: limits)
        let handle = try BaseHandle(path, vfs: VFSChoice.standard.base, flags: SQLITE_OPEN_READONLY)
        try saved.requireFits(try HeaderCopies(handle.file), path: path)
        return SealedDatabase(path: path, ring: saved.ring, vfs: .standard)
    }

    /// Adopts the slots and keys of the file's header, which another process may have changed since the handle read it.
    /// Ignores a header that is damaged or was changed without the key: the handle's keys, perhaps those of a header
    /// backup, are the best there are.
    ///
    /// - Throws: `fileReplaced` if the header is that of another database, `unlockAgain` if it records a rotation whose
    ///   keys the handle can't derive.
    private func followReadableHeader() throws(SealedFileError) {
        guard let region = try? BaseHandle.readHeader(path, vfs: vfs.base) else { return }
        do throws(SealedFileError) {
            try ring.follow(region)
        } catch {
            // A rotation always raises the epoch.
            let isAfterRotation = region.content.epoch.epoch > ring.content.epoch.epoch
            guard error.code == .fileReplaced || error.code == .unlockAgain && isAfterRotation else { return }
            throw error.about(path)
        }
    }

    private func salvage(
        into file: NewFile, keys: NewDatabase, guides: [any SalvageGuide], progress: @escaping BackupProgressHandler
    ) throws(SealedFileError) -> SalvageReport {
        let log = try sidecar("-wal", kind: SQLITE_OPEN_WAL).map { (handle) throws(SealedFileError) in
            try SalvagedLog(handle, ring: ring)
        }
        let damaged = try DamagedFile(path: path, ring: ring, vfs: vfs.base, log: log)
        if let journal = try sidecar("-journal", kind: SQLITE_OPEN_MAIN_JOURNAL) {
            try damaged.use(journal: journal, ring: ring) { (try? BaseHandle.exists($0, vfs: vfs.base)) ?? true }
        }
        let map = try PageMap(damaged.pages) { (done, total) throws(SealedFileError) in
            guard progress(BackupProgress(phase: .scanning, completed: done, total: total)) else {
                throw .backupCancelled
            }
        }
        let settings = SalvagedSettings(damaged.pages)
        try file.write(try keys.image(autoVacuum: settings.autoVacuum))
        let copy = SealedDatabase(
            path: file.temporaryPath, ring: keys.ring, vfs: vfs.reaching(file.temporaryPath))
        defer { copy.lock() }
        try copy.loadExtensions(extensions)
        var report = SalvageReport(path: file.path, databaseID: keys.ring.databaseID.hex)
        report.walFrameCount = log?.frameCount ?? 0
        report.lostFrameCount = log?.lostFrameCount ?? 0
        report.journalPageCount = damaged.journal?.restoredPageCount ?? 0
        report.lostJournalUnitCount = damaged.journal?.lostUnitCount ?? 0
        report = try Self.fill(copy, from: damaged.pages, map, settings, report, guides, progress)
        guard !ring.isLocked else { throw .keysLocked(path) }
        _ = try copy.verifyWritten(
            progress, hint: "check the disk for errors, or write the new file to another disk")
        try file.publish()
        return report
    }

    /// Runs the salvage on a connection to the new database and closes it.
    static func fill(
        _ copy: SealedDatabase, from pages: SalvagePages, _ map: PageMap, _ settings: SalvagedSettings,
        _ report: SalvageReport, _ guides: [any SalvageGuide], _ progress: @escaping BackupProgressHandler
    ) throws(SealedFileError) -> SalvageReport {
        let salvager = try Salvager(
            pages: pages, map: map, settings: settings, report: report, connection: try copy.connect(),
            guides: guides, progress: progress)
        try salvager.run()
        return salvager.report
    }
}
