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

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The backup to make.", completion: .file())
    var destination: String

    @OptionGroup var key: KeyOptions
    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
    @OptionGroup var slots: CopySlotOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(destination)
        Leftovers.tell(beside: destination)
        let sealed = try key.unlock(database, freshness: freshness)
        let made = try slots.copy(
            sealed, to: destination, key: key, json: output.json,
            withSlot: { try sealed.backup(to: destination, slot: $0, options: $1, progress: $2) },
            withSlotsOfSource: { try sealed.backup(to: destination, progress: $0) })
        try made?.print(verb: "backed up \"\(database)\" to", json: output.json)
    }
}

extension ProgressReporter {
    /// Shows the progress of a backup, and returns true to continue: a signal ends the process and removes the
    /// temporary file.
    func report(_ progress: BackupProgress, pageSize: Int) -> Bool {
        report(
            progress.phase.rawValue, completed: Int64(progress.completed), total: Int64(progress.total),
            pageSize: pageSize)
        return true
    }
}

extension BackupReport {
    func print(verb: String, json: Bool) throws {
        if json { return try Report.printJSON(self) }
        Console.confirm("\(verb) \"\(path)\": \(counted(pageCount, "page")), \(sizeText(byteCount))".withoutControls)
        if integrity == .skipped {
            Console.print(
                "SQLite's integrity check couldn't be completed: the schema needs functions or collations of its application"
            )
        }
    }
}
