import CSQLite
import SealiteBase
public import SealiteFile

/// Whole copies between plain and sealed databases. A copy is written under a temporary name in the same folder,
/// compared with its source table by table, and renamed only then: it appears whole or not at all, and never replaces a
/// file.
extension SealedDatabase {
    /// Seals a copy of a plain SQLite database, and unlocks it.
    ///
    /// The copy has the source's schema and content with all rowids, `user_version`, `application_id`, encoding,
    /// auto-vacuum, journal mode and page size (512 bytes become 1024). The source is opened read-only and isn't
    /// changed, and its WAL isn't checkpointed. Other connections may continue to read and write it, but a commit
    /// during the copy restarts the copy. Blocks until it is complete.
    ///
    /// - Parameters:
    ///   - plain: the path of the plain database.
    ///   - path: the sealed copy's path, which must not exist. Its mode is 0600.
    ///   - slot: the secret of the first key slot.
    ///   - options: the page size of the sealed file, the label of the slot, and a recovery slot.
    ///   - progress: called regularly; returning false cancels the copy.
    /// - Returns: a handle on the sealed copy, and a report with the numbers of compared tables and rows, the page
    ///   sizes, the journal mode, and the copy's size.
    /// - Throws: `SealedFileError`: `noSuchFile`, `notSealed` (the source is no SQLite database), `refused` (it is
    ///   sealed already), `exists`, `permission`, `diskFull`, `busy` (also for a hot journal), `integrity` (the copy
    ///   isn't equal), `statement`, `cancelled`, `invalidArgument`, `costRefused`, `inputOutput`.
    public static func encrypt(
        plain: String, to path: String, slot: borrowing NewSlotSecret,
        options: EncryptionOptions = EncryptionOptions(), progress: @escaping CopyProgressHandler = { _ in true }
    ) throws(SealedFileError) -> (database: SealedDatabase, report: CopyReport) {
        try VFSChoice.standard.register()
        if let reason = FilePermissions.reasonNotToOpen(plain) { throw reason }
        guard !isSealed(plain) else {
            throw SealedFileError(
                .refused, "\"\(plain)\" is sealed already",
                hint: MaintenanceRemedy.copySealed.hint)
        }
        // SQLite takes a file shorter than any page for a new, empty database.
        let byteCount = FilePermissions.size(of: plain)
        guard byteCount == 0 || byteCount >= 512 else {
            throw SealedFileError(
                .notSealed,
                "\"\(plain)\" isn't an SQLite database: it has \(byteCount) bytes, fewer than the 512 of the smallest page"
            )
        }
        if let size = options.pageSize, !SealedPageSize.isValid(size) {
            throw SealedFileError(
                .invalidArgument, "an encrypted database can't have pages of \(size) bytes",
                hint: "choose a power of two from 1024 to 65536")
        }
        let file = try NewFile(path, writer: .connection(base: VFSChoice.standard.base))
        var creation = CreationOptions(label: options.label, recoveryKey: options.recoveryKey)
        creation.slotID = options.slotID
        let keys = try NewDatabase(slot: slot, options: creation, path: path)
        // Registered while VACUUM INTO looks for the keys of the file it creates.
        let template = SealedDatabase(path: path, ring: keys.ring, vfs: .standard)
        let plainURI = VFSChoice(name: "unix", base: "unix").uri(plain)
        let source = CopySource(uri: plainURI, path: plain)
        let place = CopyFiles(
            vfs: .standard, uri: { path in template.uri(forCopyAt: path) },
            open: { (path) throws(SealedFileError) in try template.reopened(at: path).connect() })
        let report = try source.copy(to: file, at: place, pageSize: options.pageSize, progress: progress)
        try file.publish()
        return (try template.reopened(at: path), report)
    }

    /// Writes a plain copy: an unencrypted SQLite database.
    ///
    /// The copy preserves what `encrypt` preserves. It doesn't reserve the 48 bytes of each page that a sealed file
    /// does, unless the database can't be copied row by row (because it needs functions of its program, or a table's
    /// columns use all three names of the rowid); the report then gives the number of reserved bytes. The sealed file
    /// isn't changed. Blocks until it is complete.
    ///
    /// - Parameters:
    ///   - path: the plain copy's path, which must not exist. Its mode is 0600.
    ///   - progress: called regularly; returning false cancels the copy.
    /// - Returns: a report with the numbers of compared tables and rows, the page sizes and reserved bytes, the journal
    ///   mode, and the copy's size.
    /// - Throws: `SealedFileError`, as ``encrypt(plain:to:slot:options:progress:)``; `damagedPage`, `damagedFrame` if
    ///   content doesn't authenticate.
    public func decrypt(
        to path: String, progress: @escaping CopyProgressHandler = { _ in true }
    ) throws(SealedFileError) -> CopyReport {
        let file = try NewFile(path, writer: .connection(base: vfs.base))
        let plain = VFSChoice(name: "unix", base: vfs.base)
        let source = CopySource(uri: self.uri, path: self.path)
        let place = CopyFiles(
            vfs: vfs, uri: { path in plain.reaching(path).uri(path) },
            open: { (path) throws(SealedFileError) in
                try RawConnection(uri: plain.reaching(path).uri(path), path: path)
            },
            rowSourceURI: readOnlyURI)
        let report = try source.copy(to: file, at: place, pageSize: nil, progress: progress)
        try file.publish()
        return report
    }

    /// Returns a handle on a copy that SQLite created with this handle's master key and slots, under a new id.
    private func reopened(at path: String) throws(SealedFileError) -> SealedDatabase {
        let vfs = vfs.reaching(path)
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        let opened = SlotOpening.Opened(master: try ring.masterKey(), slotID: ring.slotID)
        return SealedDatabase(path: path, ring: try KeyRing(opened: opened, region: region, path: path), vfs: vfs)
    }
}
