public import SealiteFile
public import SealiteMaintenance

extension Database {
    /// Writes everything that is still readable in a damaged file to a new sealed file, with the damaged file's master
    /// key and key slots.
    ///
    /// The method calls `SealedDatabase.salvage(to:progress:)` and recognizes documents: rows that no b-tree of the
    /// damaged file reaches are recovered as documents of their collections, with their ids, revisions and blobs.
    /// Documents of unknown collections are stored in collections of the scope `recovered`. The result opens as a
    /// `Database`. A file without a document database is salvaged as `SealedDatabase` does it.
    ///
    /// - Parameters:
    ///   - file: the damaged file, unlocked.
    ///   - path: the path of the new file; no file may exist there.
    ///   - progress: called on this thread; returning false cancels the salvage, which then leaves no file.
    /// - Returns: a report on recovered and lost content.
    /// - Throws: `SealedFileError`: `exists`, `permission`, `diskFull`, `busy`, `locked`, `cancelled`, `inputOutput`.
    ///   Damage is reported, not thrown.
    public static func salvage(
        _ file: SealedDatabase, to path: String, progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        try salvage(file, to: path, others: [], progress: progress)
    }

    /// The same as ``salvage(_:to:progress:)``, with additional guides that know the tables of other programs.
    package static func salvage(
        _ file: SealedDatabase, to path: String, others: [any SalvageGuide],
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        let guide = DocumentGuide()
        let report = try file.salvage(to: path, guides: [guide] + others, progress: progress)
        return DocumentSalvageReport(file: report, documents: guide.report)
    }

    /// The same as ``salvage(_:to:progress:)``, but the new file has a new master key and one key slot, or two with a
    /// recovery key.
    public static func salvage(
        _ file: SealedDatabase, to path: String, slot: borrowing NewSlotSecret,
        options: BackupSlotOptions = BackupSlotOptions(), progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        try salvage(file, to: path, slot: slot, options: options, others: [], progress: progress)
    }

    /// The same as ``salvage(_:to:slot:options:progress:)``, with additional guides that know the tables of other
    /// programs.
    package static func salvage(
        _ file: SealedDatabase, to path: String, slot: borrowing NewSlotSecret,
        options: BackupSlotOptions = BackupSlotOptions(), others: [any SalvageGuide],
        progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> DocumentSalvageReport {
        let guide = DocumentGuide()
        let report = try file.salvage(
            to: path, slot: slot, options: options, guides: [guide] + others, progress: progress)
        return DocumentSalvageReport(file: report, documents: guide.report)
    }
}
