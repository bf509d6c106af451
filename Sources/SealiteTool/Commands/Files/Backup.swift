import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteMaintenance

/// The command `sealite backup`, which writes a sealed copy of a database while others read and write it.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a sealed copy of a database, while others read and write it.",
        discussion: """
            The backup contains one consistent state of the database. It is read again and verified before it gets \
            its name, and an existing file is never replaced. The backup has the database's key slots, so the same \
            secrets unlock it; with --new-… it gets its own keys and one slot for the new secret. 'sealite restore' \
            restores it.

            Example: sealite backup notes.db /mnt/usb/notes-monday.db --key-file notes.key
            """)

    @OptionGroup var place: DatabaseArgument

    @Argument(help: "The backup to make.", completion: .file())
    var destination: String

    @OptionGroup var key: KeyOptions
    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
    @OptionGroup var slots: CopySlotOptions
    @OptionGroup var extensions: ExtensionOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(destination)
        Leftovers.tell(beside: destination)
        let sealed = try key.unlock(place.database, freshness: freshness)
        try extensions.load(for: sealed)
        let made = try slots.copy(
            sealed, to: destination, key: key, json: output.json,
            withSlot: { try sealed.backup(to: destination, slot: $0, options: $1, progress: $2) },
            withSlotsOfSource: { try sealed.backup(to: destination, progress: $0) })
        try made?.print(verb: "backed up \"\(place.database)\" to", json: output.json)
    }
}

extension ProgressReporter {
    /// Shows the progress of a backup, and returns true to continue: a signal ends the process and removes the
    /// temporary file.
    func report(_ progress: BackupProgress, pageSize: Int) -> Bool {
        report(progress.phase.rawValue, completed: progress.completed, total: progress.total, pageSize: pageSize)
        return true
    }
}

extension BackupReport {
    func print(verb: String, json: Bool) throws {
        if json { return try Report.printJSON(self) }
        Console.confirm("\(verb) \"\(path)\": \(counted(pageCount, "page")), \(sizeText(byteCount))")
        if integrity == .skipped {
            Console.print(
                "SQLite's integrity check couldn't be completed: the schema needs functions or collations of its application"
            )
        }
    }
}

/// The command `sealite restore`, which verifies a backup and restores it.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Verify a backup and restore it.",
        discussion: """
            The backup is opened, copied and checked; the database then appears in one step, with the backup's key slots. With \
            --replace an existing DATABASE is renamed to DATABASE.replaced-TIME; without it the command ends with exit code 73. Close \
            every program that uses the old database first. The restored database has a new id: the command lists what was bound to \
            the old id, such as header backups and freshness records, and how to renew it. The passwords and the certificate \
            of 'sealite serve' stay.

            Example: sealite restore /mnt/usb/notes-monday.db notes.db --key-file notes.key
            """)

    @Argument(help: "The backup, or any sealed database.", completion: .file())
    var backup: String

    @Argument(help: "The path of the restored database.", completion: .file())
    var database: String

    @Flag(help: "Replace an existing database, which is renamed.")
    var replace = false

    @OptionGroup var key: KeyOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        if !replace { try NewFile.requireFree(database) }
        Leftovers.tell(beside: database)
        let header = try SealedDatabase.publicHeader(of: backup)
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        let options = RestoreOptions(replacesExisting: replace)
        let outcome = try key.withKey(of: backup, slots: header.slots) {
            key, limits throws(SealedFileError) in
            let made = try SealedDatabase.restore(
                backup: backup, key: key, limits: limits, to: database, options: options
            ) { progress.report($0, pageSize: header.pageSize) }
            let (kind, serveID) = Self.content(of: database, key: key, limits)
            return RestoreOutcome(restored: made, kind: kind, serveID: serveID, database: database)
        }
        progress.finish()
        if output.json { return try Report.printJSON(outcome) }
        try outcome.restored.backup.print(verb: "restored", json: false)
        for path in outcome.restored.keptPaths {
            Console.print("what was there is kept as \"\(path)\"".withoutControls)
        }
        for notice in outcome.notices {
            Console.print("\(notice.reason): \(notice.command)".withoutControls)
        }
    }

    /// Returns the kind of content that was restored, and the service id if it is a document database; nil for what
    /// can't be determined, which doesn't affect the finished restore.
    private static func content(
        of path: String, key: borrowing UnlockKey, _ limits: UnlockLimits
    ) -> (DatabaseKind?, String?) {
        guard let database = try? SealedDatabase.open(path, key: key, limits: limits),
            let kind = try? DatabaseKind(of: database)
        else { return (nil, nil) }
        return (kind, kind == .documents ? try? Database.serviceID(of: database.connect()) : nil)
    }
}

/// The report of `sealite restore`: the restore itself, and the objects, such as header backups, that don't belong to
/// the restored database.
struct RestoreOutcome: Encodable {
    let restored: RestoreReport
    let kind: DatabaseKind?
    /// The database's service id, under which the passwords and the certificate of `sealite serve` are stored; a
    /// restore doesn't change it. Nil if the file isn't a document database or its content couldn't be read.
    let serveID: String?
    let database: String

    private enum CodingKeys: String, CodingKey { case kind, serveID, unbound }

    func encode(to encoder: any Encoder) throws {
        try restored.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(serveID, forKey: .serveID)
        try container.encode(notices, forKey: .unbound)
    }

    /// The notices about objects that don't belong to the restored database. Those about header backups and freshness
    /// records, whose locations are unknown, are given whenever a database was replaced.
    var notices: [RestoreNotice] {
        let place = database.shellArgument
        var notices =
            restored.keptPaths.isEmpty
            ? []
            : [
                RestoreNotice(
                    what: "header-backups",
                    reason: "header backups of the replaced database don't match the restored database",
                    command: "sealite header backup \(place) FILE"),
                RestoreNotice(
                    what: "freshness-records",
                    reason: "freshness records of the replaced database don't apply to the restored database",
                    command: "sealite freshness record \(place) FILE --accept-rollback"),
            ]
        if !restored.returnedSlots.isEmpty {
            notices.append(
                RestoreNotice(
                    what: "returned-slots",
                    reason: "the restored database has key slots that the replaced one didn't have: "
                        + restored.returnedSlots.map(\.line).joined(separator: "; "),
                    command: "sealite key remove \(place) --slot N, then sealite key rotate \(place)"))
        }
        if !restored.missingSlots.isEmpty {
            notices.append(
                RestoreNotice(
                    what: "missing-slots",
                    reason:
                        "the replaced database had key slots that the backup doesn't have; add them again, or their secrets don't unlock the restored database: "
                        + restored.missingSlots.map(\.line).joined(separator: "; "),
                    command: "sealite key add \(place)"))
        }
        return notices
    }
}

/// An object, such as a header backup, a freshness record or a key slot, that belongs to only one of the replaced and
/// the restored database, with the command that adapts it to the restored database.
struct RestoreNotice: Encodable {
    let what: String
    let reason: String
    let command: String
}
