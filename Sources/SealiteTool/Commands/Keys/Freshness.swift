import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The command `sealite freshness`, whose subcommands detect that a database was replaced by an older copy.
struct Freshness: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freshness",
        abstract: "Detect rollbacks of a database to an older copy.",
        discussion: """
            Encryption doesn't detect the replacement of the whole file by an older copy. A freshness record, stored \
            apart from the database, does: with --freshness FILE, which most commands that open a database accept, a command ends \
            with exit code 79 if the database is older than the record, or is another database.

            Example: sealite freshness record notes.db /mnt/usb/notes.fresh --key-file notes.key
            """,
        subcommands: [Record.self, Check.self])

    /// The command `sealite freshness record`, which writes a freshness record of the database as it is now.
    struct Record: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "record",
            abstract: "Write a record of the database as it is now.",
            discussion: """
                Makes the record, or updates it. A record that is newer than the database isn't changed, unless --accept-rollback says \
                that the old state is meant.

                Example: sealite freshness record notes.db /mnt/usb/notes.fresh --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The record.", completion: .file())
        var record: String

        @Flag(help: "Overwrite a record that is newer than the database, after a deliberate restore.")
        var acceptRollback = false

        @OptionGroup var key: KeyOptions

        @OptionGroup var wait: WaitOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let sealed = try key.unlock(place.database)
            let made = try sealed.recordFreshness(at: record, acceptingRollback: acceptRollback)
            output.print(
                "recorded \"\(place.database)\": epoch \(made.epoch), counter \(made.counter), serial \(made.serial)"
                    .withoutControls,
                json: made.json)
        }
    }

    /// The command `sealite freshness check`, which compares a database with a freshness record, without changing
    /// either.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Compare the database with a record, without changing either.",
            discussion: """
                Ends with exit code 79 if the database is older than the record, or is another database.

                Example: sealite freshness check notes.db /mnt/usb/notes.fresh --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The record.", completion: .file())
        var record: String

        @OptionGroup var key: KeyOptions

        @OptionGroup var wait: WaitOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let sealed = try key.unlock(place.database)
            try FreshnessOptions.check(sealed, against: record)
            guard case .fresh(let recorded, let found) = try sealed.freshness(against: record) else { return }
            output.print(
                "\"\(place.database)\" is the one recorded, or later: counter \(found.counter), serial \(found.serial)"
                    .withoutControls, json: ["recorded": recorded, "found": found])
        }
    }
}
