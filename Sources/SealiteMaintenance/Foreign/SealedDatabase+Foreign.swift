import SealiteBase
public import SealiteFile

/// Copies of databases that other programs encrypted.
extension SealedDatabase {
    /// Seals a copy of a database that SQLCipher or SQLite3MultipleCiphers encrypted, and unlocks it.
    ///
    /// The pages are decrypted in memory while they are read, and each one's authentication is checked: nothing is
    /// written unencrypted. A committed write-ahead log beside the file is read too. The file isn't changed; no other
    /// program should write it meanwhile. Blocks until the copy is complete.
    ///
    /// If each page reserves at least 48 bytes, which sealing needs, and the page size stays, the pages are copied as they are.
    /// This is so for SQLCipher 2 to 4. The schema then needs no function or collation of its program, free pages stay free,
    /// and the copy reserves as many bytes as its source. Otherwise the copy has what a copy of a plain database has
    /// (``encrypt(plain:to:slot:options:progress:)``).
    ///
    /// - Parameters:
    ///   - foreign: the path of the database.
    ///   - encryption: the cipher and its settings.
    ///   - key: the passphrase or the raw key.
    ///   - path: the sealed copy's path, which must not exist. Its mode is 0600.
    ///   - slot: the secret of the first key slot.
    ///   - acceptsUnauthenticated: a Boolean value that says whether a file whose pages aren't authenticated is read
    ///     (``ForeignEncryption/isAuthenticated``); such a file may have been changed without the key.
    ///   - options: the page size of the sealed file, the label of the slot, and a recovery slot.
    ///   - progress: called regularly; returning false cancels the copy.
    /// - Returns: a handle on the sealed copy, and a report with the numbers of compared pages, or of tables and rows, the
    ///   page sizes, the journal mode, and the copy's size.
    /// - Throws: `SealedFileError`: `wrongKey` (the key or the settings are wrong; the reason says which, if the defaults of
    ///   another version fit), `plainDatabase` (the file isn't encrypted), `damagedPage`, `refused` (the pages aren't
    ///   authenticated, or the file is sealed already), `notSealed` (the file is no database), and the errors of
    ///   ``encrypt(plain:to:slot:options:progress:)``.
    public static func encrypt(
        foreign: String, as encryption: ForeignEncryption, key: borrowing ForeignKey, to path: String,
        slot: borrowing NewSlotSecret, acceptsUnauthenticated: Bool = false,
        options: EncryptionOptions = EncryptionOptions(), progress: @escaping CopyProgressHandler = { _ in true }
    ) throws(SealedFileError) -> (database: SealedDatabase, report: CopyReport) {
        try encryption.requireAuthenticated(acceptsUnauthenticated, foreign)
        let file = try ForeignFile(foreign, encryption, key)
        if file.hasSealablePages, options.pageSize ?? file.pageSize == file.pageSize {
            return try copyPages(of: file, to: path, slot: slot, options: options, progress: progress)
        }
        let registration = try PageSourceVFS.Registration(file)
        let source = CopySource(
            uri: registration.uri, path: foreign, extensions: options.extensions,
            journalMode: file.isWAL ? "wal" : "delete", layout: file.layout,
            willCompare: { file.isCompared = true },
            finish: { () throws(SealedFileError) in
                try file.readRest { progress(file.progress($0)) }
                try file.requireNoneLost()
                try file.requireUnchanged()
            })
        do throws(SealedFileError) {
            return try seal(source, to: path, slot: slot, options: options, progress: progress)
        } catch {
            // The first damaged page ends the copy; all others are named too, and those that SQLite can't use because they are lost.
            let isLoss = registration.failure == nil && error.code == .integrity
            if isLoss || registration.failure?.code == .damagedPage {
                try file.readRest { progress(file.progress($0)) }
                try file.requireNoneLost()
            }
            throw registration.failure ?? error
        }
    }

    /// Seals a copy of a file whose pages fit into a sealed file as they are.
    private static func copyPages(
        of source: ForeignFile, to path: String, slot: borrowing NewSlotSecret, options: EncryptionOptions,
        progress: @escaping CopyProgressHandler
    ) throws(SealedFileError) -> (database: SealedDatabase, report: CopyReport) {
        try VFSChoice.standard.register()
        let file = try NewFile(path, writer: .connection(base: VFSChoice.standard.base))
        var creation = CreationOptions(
            pageSize: source.pageSize, label: options.label, recoveryKey: options.recoveryKey)
        creation.slotID = options.slotID
        let keys = try NewDatabase(slot: slot, options: creation, path: path)
        try file.write(try keys.image(autoVacuum: .none))
        let draft = SealedDatabase(
            path: file.temporaryPath, ring: keys.ring, vfs: VFSChoice.standard.reaching(file.temporaryPath))
        defer { draft.lock() }
        try ForeignPageCopy(from: source, into: draft, progress: progress).run()
        try source.requireNoneLost()
        try source.requireUnchanged()
        let report = CopyReport(
            tableCount: 0, rowCount: 0, pageCount: Int(source.contentPageCount), pageSize: source.pageSize,
            sourcePageSize: source.pageSize, journalMode: source.isWAL ? "wal" : "delete",
            reservedByteCount: source.reservedByteCount, byteCount: FilePermissions.size(of: file.temporaryPath))
        try file.publish()
        let made = SealedDatabase(path: path, ring: keys.ring, vfs: .standard)
        try made.loadExtensions(options.extensions)
        return (try made.reopened(at: path), report)
    }

    /// Writes every readable row of a damaged database that SQLCipher or SQLite3MultipleCiphers encrypted to a new sealed
    /// database. Page 1 must be intact.
    ///
    /// The parameters are those of
    /// ``encrypt(foreign:as:key:to:slot:acceptsUnauthenticated:options:progress:)``, and the result is as that of
    /// ``salvage(to:progress:)``.
    ///
    /// - Returns: a report: the tables with the numbers of their recovered rows, and the lost parts.
    /// - Throws: `SealedFileError`: the errors of
    ///   ``encrypt(foreign:as:key:to:slot:acceptsUnauthenticated:options:progress:)``, except `damagedPage` for another
    ///   page than the first: damage is reported, not thrown.
    public static func salvage(
        foreign: String, as encryption: ForeignEncryption, key: borrowing ForeignKey, to path: String,
        slot: borrowing NewSlotSecret, acceptsUnauthenticated: Bool = false,
        options: EncryptionOptions = EncryptionOptions(), progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> SalvageReport {
        try VFSChoice.standard.register()
        try encryption.requireAuthenticated(acceptsUnauthenticated, foreign)
        let source = try ForeignFile(foreign, encryption, key)
        let file = try NewFile(path, writer: .connection(base: VFSChoice.standard.base))
        var creation = CreationOptions(
            pageSize: options.pageSize ?? max(1024, source.pageSize), label: options.label,
            recoveryKey: options.recoveryKey)
        creation.slotID = options.slotID
        let keys = try NewDatabase(slot: slot, options: creation, path: path)
        let pages = source.salvagePages
        let map = try PageMap(pages) { (done, total) throws(SealedFileError) in
            guard progress(BackupProgress(phase: .scanning, completed: done, total: total)) else {
                throw .backupCancelled
            }
        }
        let settings = SalvagedSettings(pages)
        try file.write(try keys.image(autoVacuum: settings.autoVacuum))
        let copy = SealedDatabase(
            path: file.temporaryPath, ring: keys.ring, vfs: VFSChoice.standard.reaching(file.temporaryPath))
        defer { copy.lock() }
        try copy.loadExtensions(options.extensions)
        let report = try fill(
            copy, from: pages, map, settings, SalvageReport(path: path, databaseID: keys.ring.databaseID.hex), [],
            progress)
        try source.requireUnchanged()
        _ = try copy.verifyWritten(
            progress, hint: "check the disk for errors, or write the new file to another disk")
        try file.publish()
        return report
    }
}

extension ForeignFile {
    /// The progress of a pass over the file that has reached a page.
    func progress(_ number: UInt32) -> CopyProgress {
        CopyProgress(
            phase: .copying, completed: Int64(number) * Int64(pageSize), total: Int64(pageCount) * Int64(pageSize))
    }

    /// The pages for a salvage, which passes over damaged ones.
    fileprivate var salvagePages: SalvagePages {
        SalvagePages(pageSize: pageSize, pageCount: min(pageCount, .max - 1), reservedByteCount: reservedByteCount) {
            [self] number in
            var bytes = [UInt8](repeating: 0, count: pageSize)
            let finding = unsafe bytes.withUnsafeMutableBytes { page in unsafe try? find(number, page) }
            return switch finding {
            case .opened: .text(bytes)
            case .neverWritten: .neverWritten
            case .damaged, nil: .lost
            }
        }
    }
}

extension ForeignEncryption {
    /// Throws `refused` if the pages of a file aren't authenticated and such files aren't accepted.
    func requireAuthenticated(_ acceptsUnauthenticated: Bool, _ path: String) throws(SealedFileError) {
        guard !isAuthenticated, !acceptsUnauthenticated else { return }
        throw SealedFileError(
            .refused,
            "\"\(path)\" is encrypted without authentication (\(words)): whoever could write it may have changed its content",
            hint: MaintenanceRemedy.acceptUnauthenticated.hint)
    }
}
