import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteMaintenance

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
