import Glibc
public import SealiteFile

/// Restoring a backup.
extension SealedDatabase {
    /// Checks a backup with a key that opens it, and creates a copy of it at a path, with the backup's key slots and a
    /// new database id and page key. The backup itself isn't changed.
    ///
    /// The new database is created completely or not at all. Without `replacesExisting`, an existing file is refused,
    /// including a log or journal without its database. With it, the existing files are renamed to
    /// `<path>.replaced-<time>`; no connection may have them open.
    ///
    /// - Parameters:
    ///   - backup: the path of the backup, or of any sealed database.
    ///   - key: a key that opens the backup.
    ///   - limits: limits on the cost of unlocking.
    ///   - path: the restored database's path.
    ///   - options: the permission to replace an existing database.
    ///   - progress: called on this thread; returning false cancels the restore.
    /// - Returns: a report: the result of copying and checking the database, the database id and the new paths of what
    ///   was replaced, and the key slots that came back or were lost in comparison with the replaced database.
    /// - Throws: `SealedFileError`, as `open(_:key:limits:)` and ``backup(to:progress:)``; `exists` if the path is
    ///   taken and `options.replacesExisting` is false, `invalidArgument` if the path is that of the backup or a
    ///   symbolic link, `busy` if the existing database is in use.
    public static func restore(
        backup: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits(), to path: String,
        options: RestoreOptions = RestoreOptions(), progress: @escaping BackupProgressHandler = { _ in true }
    ) throws(SealedFileError) -> RestoreReport {
        let place = try RestorePlace(path, mayReplace: options.replacesExisting, backup: backup)
        let source = try open(backup, key: key, limits: limits)
        defer { source.lock() }
        let file = try NewFile(path, replacing: options.replacesExisting, writer: .connection(base: source.vfs.base))
        let report = try source.writeBackup(
            into: file, keys: try source.backupKeys(path: path), uri: source.uriOfBackup, progress: progress)
        let (restored, replaced) = (try source.publicHeader(), try? publicHeader(of: path))
        let (now, before) = (restored.slots, replaced?.slots ?? [])
        return RestoreReport(
            backup: report, keptPaths: try place.take(file), replacedDatabaseID: replaced?.databaseID,
            returnedSlots: replaced == nil ? [] : now.filter { slot in !before.contains { $0.id == slot.id } },
            missingSlots: before.filter { slot in !now.contains { $0.id == slot.id } })
    }

    /// The URI with which the backup is read. If its folder can't be written and there is no log or journal, it is read
    /// without locks and without a log, which couldn't be created there.
    private var uriOfBackup: String {
        let isWritable = unsafe access(FilePath.folder(of: path), W_OK) == 0
        let hasSidecar = ["-wal", "-journal"].contains { FilePermissions.size(of: path + $0) > 0 }
        return isWritable || hasSidecar ? uri : uri + "&immutable=1"
    }
}

/// The path of a restored database and the files that exist there.
private struct RestorePlace {
    private let path: String
    private static let sidecars = ["-wal", "-journal", "-rotate"]

    init(_ path: String, mayReplace: Bool, backup: String) throws(SealedFileError) {
        self.path = path
        guard !FilePermissions.isSameFile(path, backup) else {
            throw SealedFileError(
                .invalidArgument, "the path of the restored database, \"\(path)\", is that of the backup itself",
                hint: "choose another path for the restored database")
        }
        guard !FilePermissions.isLink(path) else {
            throw SealedFileError(
                .invalidArgument, "the path of the restored database, \"\(path)\", is a symbolic link",
                hint: "name the file that the link refers to")
        }
        let taken = present
        guard mayReplace || taken.isEmpty else {
            throw SealedFileError(
                .exists,
                "the restored database needs these names, under which files exist: "
                    + taken.map { "\"\($0)\"" }.joined(separator: ", "),
                hint: "move these files away, or allow the restore to replace them, which keeps them under other names")
        }
    }

    /// The paths of the existing database and its sidecars; empty if there are none.
    private var present: [String] {
        ([""] + Self.sidecars).map { path + $0 }.filter { FilePermissions.exists($0) }
    }

    /// Publishes the new file under its final name, and keeps existing files under new names.
    ///
    /// - Returns: the new paths of the existing files.
    func take(_ file: NewFile) throws(SealedFileError) -> [String] {
        guard !present.isEmpty else {
            try file.publish()
            return []
        }
        let hadDatabase = FilePermissions.exists(path)
        // Held until the files are renamed, so that no transaction is running.
        let lock = hadDatabase ? try ExclusiveHandle(path, vfs: VFSChoice.standard.base) : nil
        defer { withExtendedLifetime(lock) {} }
        let keptPath = try freeName()
        var kept: [String] = []
        do throws(SealedFileError) {
            for suffix in Self.sidecars where FilePermissions.exists(path + suffix) {
                try NewFile.copy(path + suffix, to: keptPath + suffix)
                kept.append(keptPath + suffix)
            }
            if hadDatabase { try file.publish(keepingOldAs: keptPath) } else { try file.publish() }
        } catch {
            for copy in kept { unsafe unlink(copy) }
            throw error
        }
        // Frames and units of another database id don't authenticate in the new file. They are ignored until they are
        // removed, and also if a power failure brings them back.
        for suffix in Self.sidecars + ["-shm"] { unsafe unlink(path + suffix) }
        try? NewFile.syncFolder(of: path)
        return hadDatabase ? [keptPath] + kept : kept
    }

    private func freeName() throws(SealedFileError) -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
        let stamp = "\(year)\(two(month))\(two(day))T\(two(hour))\(two(minute))\(two(second))Z"
        for number in 0..<1000 {
            let name = "\(path).replaced-\(stamp)" + (number == 0 ? "" : "-\(number)")
            if !([""] + Self.sidecars).contains(where: { FilePermissions.exists(name + $0) }) { return name }
        }
        throw SealedFileError(
            .exists,
            "no name is free under which the existing file \"\(path)\" could be kept: \"\(path).replaced-\(stamp)\" and its "
                + "variants with -1 to -999 exist",
            hint: "move those files away, or try again in a second")
    }
}

/// Options for restoring a backup.
public struct RestoreOptions: Sendable {
    /// A Boolean value that says whether an existing database may be replaced. It is renamed, never removed.
    public var replacesExisting: Bool

    /// Creates options. By default nothing is replaced.
    public init(replacesExisting: Bool = false) { self.replacesExisting = replacesExisting }
}

/// The result of a restore.
public struct RestoreReport: Sendable, Equatable, Encodable {
    /// The result of copying and checking the restored database.
    public let backup: BackupReport
    /// The new paths of the files that the restore replaced, which are the database and its log, journal and rotation
    /// sidecar as far as they existed; empty if there were none.
    public let keptPaths: [String]
    /// The database id of the replaced database, from its header, unauthenticated; nil if there was none or its header
    /// can't be read. Data that is bound to this id doesn't match the restored database, which has a new id.
    public let replacedDatabaseID: String?
    /// The key slots that the restored database has and the replaced database lacked, for example because they were
    /// removed after the backup was made; empty if ``replacedDatabaseID`` is nil.
    public let returnedSlots: [SlotInfo]
    /// The key slots that the replaced database had and the restored database lacks: their secrets don't open the
    /// restored database. Empty if ``replacedDatabaseID`` is nil.
    public let missingSlots: [SlotInfo]
}
