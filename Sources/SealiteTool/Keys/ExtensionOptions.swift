import ArgumentParser
import SealiteFile

/// The option of commands that read a whole database by SQL, and then need what its schema calls.
struct ExtensionOptions: ParsableArguments {
    @Option(
        "file",
        help:
            "Load an SQLite extension that supplies collations or functions of the database's own program. Its code runs in this process. May be repeated."
    )
    var loadExtension: [String] = []

    /// Loads the extensions on each connection that the handle opens for its own work.
    func load(for database: SealedDatabase) throws { try database.loadExtensions(loadExtension) }
}
