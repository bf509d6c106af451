import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The command `sealite encrypt`, which writes a sealed copy of a plain SQLite database.
struct Encrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
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

    @Option(help: ArgumentHelp("Another page size: a power of two from 1024 to 65536.", valueName: "bytes"))
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
            return true
        }
        progress.finish()
        made.report.print(path: database, verb: "sealed", json: output.json)
        if !output.json {
            Console.confirm("the plain file \"\(plain)\" is still there, unchanged and in clear".withoutControls)
        }
        return made.database.databaseID
    }
}

extension ProgressReporter {
    func report(_ progress: CopyProgress) {
        report(progress.phase.rawValue, completed: progress.completed, total: progress.total)
    }
}

extension CopyReport {
    func print(path: String, verb: String, json: Bool) {
        guard !json else {
            Console.print(
                JSONValue.object([
                    ("path", .text(path)), ("tables", .integer(Int64(tableCount))), ("rows", .integer(rowCount)),
                    ("pageSize", .integer(Int64(pageSize))), ("sourcePageSize", .integer(Int64(sourcePageSize))),
                    ("journalMode", .text(journalMode)), ("bytes", .integer(byteCount)),
                    ("reservedBytes", .integer(Int64(reservedByteCount))),
                ]).encoded)
            return
        }
        let compared = "\(counted(tableCount, "table")) and \(counted(rowCount, "row")) compared"
        Console.confirm("\(verb) \"\(path)\": \(compared), \(sizeText(byteCount))".withoutControls)
        if pageSize != sourcePageSize {
            Console.confirm("the page size is \(pageSize) bytes; the source has \(sourcePageSize)")
        }
    }
}

/// The command `sealite decrypt`, which writes a plain copy of a sealed database.
struct Decrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
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

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var key: KeyOptions
    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(plain)
        Leftovers.tell(beside: plain)
        if !yes { try ask() }
        let sealed = try key.unlock(database, freshness: freshness)
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        let report = try sealed.decrypt(to: plain) {
            progress.report($0)
            return true
        }
        progress.finish()
        report.print(path: plain, verb: "wrote", json: output.json)
        if report.reservedByteCount > 0, !output.json {
            Console.print(
                "\(report.reservedByteCount) bytes of each page of the copy stay reserved, because the database couldn't be copied row by row"
            )
        }
    }

    private func ask() throws {
        guard key.asking.permission.isGiven else {
            throw ToolError.usage("writing \"\(plain)\" in clear wasn't confirmed", hint: "confirm it with --yes")
        }
        guard try Console.confirms("Write the content of \(database) in clear to \(plain)?".withoutControls) else {
            throw ToolError(.failed, code: "cancelled", "nothing was written, because the confirmation was declined")
        }
    }
}
