import ArgumentParser
import SealiteDatabase

/// The command `sealite upgrade`, which changes a document database from revision trees to version vectors.
struct Upgrade: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Change a document database from revision trees to version vectors.",
        discussion: """
            Revision trees and version vectors are two ways to record the history of documents, and 'sealite info' shows which one \
            a database has. A database of version vectors syncs with Couchbase Lite 4, Sync Gateway 4 and other databases of version \
            vectors, and no longer with databases of revision trees: upgrade all databases that sync with each other. Documents keep \
            their revisions, and what was synced isn't synced again. An upgrade can't be undone; make a backup first. \
            Programs that have the database open have to open it again before their next change.

            Example: sealite upgrade notes.db --versioning vectors --key-file notes.key
            """)

    /// The versionings to which a database can be upgraded.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case vectors
    }

    @OptionGroup var place: DatabaseArgument

    @Option(help: "The versioning that the database gets.")
    var versioning: Target

    @OptionGroup var options: DocumentOptions

    func run() throws {
        let isNew = try options.withDatabase(place.database) { opened in
            let old = opened.versioning
            try StoppableChange().run { try opened.upgradeToVersionVectors() }
            return old != .vectors
        }
        options.output.print(
            "\"\(place.database)\" has version vectors \(isNew ? "now" : "already")".withoutControls,
            json: ["path": place.database, "versioning": "vectors", "upgraded": isNew])
    }
}
