import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The command `sealite encrypt`, which writes a sealed copy of a plain SQLite database.
struct Encrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt",
        abstract: "Seal a copy of a plain SQLite database.",
        discussion: """
            The copy has the same rowids, user_version, application_id, encoding, auto_vacuum, journal mode and page \
            size. Every table is compared before the copy gets its name. The plain file isn't changed or removed: \
            remove it yourself, and note that its content may remain on the disk.

            Example: sealite encrypt plain.db sealed.db --key-file sealed.key
            """)

    @Argument(help: "The plain database.", completion: .file())
    var plain: String

    @Argument(help: "The sealed database to create.", completion: .file())
    var database: String

    @OptionGroup var key: NewKeyOptions

    @Option("bytes", help: "Another page size: a power of two from 1024 to 65536.")
    var pageSize: Int?

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(database)
        Leftovers.tell(beside: database)
        try key.withSecret(for: database) { secret, slotID, recovery in
            var options = EncryptionOptions(pageSize: pageSize, label: key.label, recoveryKey: recovery)
            options.slotID = slotID
            return try encrypt(secret, options)
        }
    }

    /// Encrypts the database and returns the id of the new file.
    private func encrypt(_ secret: borrowing NewSlotSecret, _ options: EncryptionOptions) throws -> String {
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        let made = try SealedDatabase.encrypt(plain: plain, to: database, slot: secret, options: options) {
            progress.report($0)
        }
        progress.finish()
        made.report.print(path: database, verb: "sealed", json: output.json)
        if !output.json { Console.confirm("the plain file \"\(plain)\" is still there, unchanged and in clear") }
        return made.database.databaseID
    }
}

extension ProgressReporter {
    func report(_ progress: CopyProgress) -> Bool {
        report(progress.phase.rawValue, completed: progress.completed, total: progress.total)
        return true
    }
}

extension CopyReport {
    func print(path: String, verb: String, json: Bool) {
        guard !json else {
            return Console.print([
                "path": path, "tables": tableCount, "rows": rowCount, "pageSize": pageSize,
                "sourcePageSize": sourcePageSize, "journalMode": journalMode, "bytes": byteCount,
                "reservedBytes": reservedByteCount,
            ])
        }
        let compared = "\(counted(tableCount, "table")) and \(counted(rowCount, "row")) compared"
        Console.confirm("\(verb) \"\(path)\": \(compared), \(sizeText(byteCount))")
        if pageSize != sourcePageSize {
            Console.confirm("the page size is \(pageSize) bytes; the source has \(sourcePageSize)")
        }
    }
}

/// The command `sealite decrypt`, which writes a plain copy of a sealed database.
struct Decrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Write a plain copy of a sealed database.",
        discussion: """
            Asks for confirmation, because everyone who can read the copy can read all of its content. The sealed \
            file isn't changed, and an existing file is never replaced.

            Example: sealite decrypt sealed.db plain.db --key-file sealed.key --yes
            """)

    @Argument(help: "The sealed database.", completion: .file())
    var database: String

    @Argument(help: "The plain database to make.", completion: .file())
    var plain: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var options: DocumentOptions
    func run() throws {
        try NewFile.requireFree(plain)
        Leftovers.tell(beside: plain)
        try confirmation.require(
            "Write the content of \(database) in clear to \(plain)?", options.key.asking.permission,
            act: "writing \"\(plain)\" in clear", refusal: "nothing was written")
        let sealed = try options.unlock(database)
        let progress = ProgressReporter(json: options.output.json)
        defer { progress.finish() }
        let report = try sealed.decrypt(to: plain) { progress.report($0) }
        progress.finish()
        report.print(path: plain, verb: "wrote", json: options.output.json)
        if report.reservedByteCount > 0, !options.output.json {
            Console.print(
                "\(report.reservedByteCount) bytes of each page of the copy stay reserved, because the database couldn't be copied row by row"
            )
        }
    }

}
