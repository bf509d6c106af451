import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The command `sealite header`, whose subcommands back up, restore or repair the header of a database.
struct Header: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "header",
        abstract: "Back up, restore or repair the header.",
        discussion: """
            The header contains the wrapped keys: without it no content of the database can be read. Keep a saved \
            header as safe as the database, and save it again after each key rotation.

            Example: sealite header backup notes.db /mnt/usb/notes.header
            """,
        subcommands: [Save.self, PutBack.self, Accept.self])

    /// The command `sealite header backup`, which saves the header of a database to a new file.
    struct Save: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup",
            abstract: "Save the header, 8 KiB, to a new file. Needs no key.",
            discussion: "Example: sealite header backup notes.db notes.header")

        @OptionGroup var place: DatabaseArgument

        @Argument(help: ArgumentHelp("The file to make.", valueName: "file"), completion: .file())
        var image: String

        @OptionGroup var output: OutputOptions

        func run() throws {
            let report = try SealedDatabase.backUpHeader(of: place.database, to: image)
            try report.print("saved the header of \"\(place.database)\" to \"\(image)\"", json: output.json)
        }
    }

    /// The command `sealite header restore`, which puts a saved header back into its database.
    struct PutBack: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Put a saved header back.",
            discussion: """
                Needs a secret that opens the saved header, and a database whose pages the header opens and which no program has \
                open. The slots of the saved header come back, including those removed since then.

                Example: sealite header restore notes.db notes.header --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(
            help: ArgumentHelp("The file written by 'sealite header backup'.", valueName: "file"), completion: .file())
        var image: String

        @OptionGroup var key: KeyOptions

        @OptionGroup var output: OutputOptions

        func run() throws {
            let slots = try SealedDatabase.publicHeader(of: image).slots
            let report = try key.withKey(of: image, slots: slots) { key, limits throws(SealedFileError) in
                try SealedDatabase.restoreHeader(of: place.database, from: image, key: key, limits: limits)
            }
            try report.print("put the header of \"\(image)\" back into \"\(place.database)\"", json: output.json)
        }
    }

    /// The command `sealite header accept`, which makes both copies of a database's header equal to the one that the
    /// key authenticates.
    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Make both copies of the header equal to the one that the key authenticates.",
            discussion: """
                For a database with a damaged or altered header copy. Check the slots that the command lists: an old copy can bring back a slot that was removed.

                Example: sealite header accept notes.db --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Option("0|1", help: "The copy to keep, if both are authentic.")
        var copy: Int?

        @OptionGroup var key: KeyOptions

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard copy == nil || copy == 0 || copy == 1 else { throw ValidationError("--copy takes 0 or 1.") }
        }

        func run() throws {
            // If the two copies of the header contradict each other, it isn't known yet which slots are valid.
            let slots = (try? SealedDatabase.publicHeader(of: place.database).slots) ?? []
            let report = try key.withKey(of: place.database, slots: slots) {
                key, limits throws(SealedFileError) in
                try SealedDatabase.acceptHeaderCopy(of: place.database, key: key, limits: limits, copy: copy)
            }
            try report.print("both header copies of \"\(place.database)\" are now the accepted one", json: output.json)
        }
    }
}

extension HeaderReport {
    fileprivate func print(_ sentence: String, json: Bool) throws {
        if json { return try Report.printJSON(self) }
        Console.confirm("\(sentence): generation \(generation), epoch \(epoch)")
        for slot in slots { Console.confirm(slot.line) }
    }
}
