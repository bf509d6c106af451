import ArgumentParser
import SealiteDatabase

/// `sealite upgrade`
struct Upgrade: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Give a document database of revision trees version vectors.",
        discussion: """
            A database with version vectors syncs with Couchbase Lite 4, Sync Gateway 4 and other databases with \
            version vectors, but not with databases with revision trees: upgrade all databases that sync with each \
            other. Documents keep their revisions, and synced documents aren't sent again. An upgrade can't be \
            undone, so make a backup first. Programs that have the database open must open it again before their \
            next change.

            Example: sealite upgrade notes.db --versioning vectors --key-file notes.key
            """)

    /// The versionings to which a database can be upgraded.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case vectors
    }

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Option(help: "What documents get: vectors.")
    var versioning: Target

    @OptionGroup var options: DocumentOptions

    func run() throws {
        let (old, isJSON) = try options.withDatabase(database) { opened in
            let old = opened.versioning
            try opened.upgradeToVersionVectors()
            return (old, options.output.json)
        }
        let isNew = old != .vectors
        if isJSON {
            Console.print(
                JSONValue.object([
                    ("path", .text(database)), ("versioning", .text("vectors")), ("upgraded", .bool(isNew)),
                ])
                .encoded)
        } else {
            let text = isNew ? "\"\(database)\" has version vectors now" : "\"\(database)\" has version vectors already"
            Console.print(text.withoutControls)
        }
    }
}
