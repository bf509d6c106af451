public import ArgumentParser
public import SealiteDatabase
import SealiteFile

/// The command `sealite create`, which creates a new, empty sealed database.
struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a new, empty sealed database.",
        discussion: """
            The database is created completely or not at all, with mode 0600. An existing file is never replaced.

            Example: sealite create notes.db --passphrase-file secret.txt --recovery-key-file notes.recovery
            """)

    @Argument(help: "The database to make.", completion: .file())
    var database: String

    @OptionGroup var key: NewKeyOptions

    @Option("bytes", help: "The page size: a power of two from 1024 to 65536.")
    var pageSize = SealedPageSize.standard

    @Option(help: "How free pages are given back to the file system.")
    var autoVacuum = AutoVacuumChoice.none

    @Option("trees|vectors", help: "Make a document database at once, with revision trees or version vectors.")
    var versioning: DocumentVersioning?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(database)
        Leftovers.tell(beside: database)
        try key.withSecret(for: database) { secret, slotID, recovery in
            var options = CreationOptions(
                pageSize: pageSize, autoVacuum: autoVacuum.mode, label: key.label, recoveryKey: recovery)
            options.slotID = slotID
            let made = try SealedDatabase.create(database, slot: secret, options: options)
            if let versioning {
                var configuration = DatabaseConfiguration()
                configuration.versioning = versioning
                try SealiteDatabase.Database(file: made, configuration: configuration).close()
            }
            output.confirm(
                "made \"\(database)\"",
                json: ["path": database, "databaseID": made.databaseID, "pageSize": made.pageSize])
            return made.databaseID
        }
    }

}

extension DocumentVersioning: ExpressibleByArgument {}

/// The auto-vacuum modes as arguments.
enum AutoVacuumChoice: String, ExpressibleByArgument, CaseIterable {
    case none
    case full
    case incremental

    var mode: AutoVacuum {
        switch self {
        case .none: .none
        case .full: .full
        case .incremental: .incremental
        }
    }
}
