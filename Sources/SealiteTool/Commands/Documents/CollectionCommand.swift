import ArgumentParser
import SealiteDatabase

/// The command `sealite collection`, whose subcommands list, create and delete collections.
struct CollectionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collection",
        abstract: "List, create and delete collections.",
        discussion: "Example: sealite collection list notes.db --key-file notes.key",
        subcommands: [List.self, Create.self, Delete.self])

    /// The command `sealite collection list`, which lists the collections and how many documents each has.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the collections and how many documents each has.",
            discussion: "Example: sealite collection list notes.db --key-file notes.key")

        @Argument(help: "The database.", completion: .file())
        var database: String

        @OptionGroup var options: DocumentOptions

        func run() throws {
            try options.withDatabase(database) { database in
                let collections = try database.statistics().collections
                let width = collections.map(\.fullName.count).max() ?? 0
                for collection in collections {
                    Console.print(options.output.json ? json(collection) : row(collection, width))
                }
            }
        }

        private func row(_ collection: DatabaseStatistics.Collection, _ width: Int) -> String {
            var text = "\(collection.fullName.padded(to: width))  \(counted(collection.documentCount, "document"))"
            if collection.deletedCount > 0 { text += ", \(collection.deletedCount) deleted" }
            if collection.conflictCount > 0 { text += ", \(collection.conflictCount) in conflict" }
            return text
        }

        private func json(_ collection: DatabaseStatistics.Collection) -> String {
            JSONValue.object([
                ("collection", .text(collection.fullName)), ("documents", .integer(Int64(collection.documentCount))),
                ("deleted", .integer(Int64(collection.deletedCount))),
                ("conflicts", .integer(Int64(collection.conflictCount))),
                ("lastSequence", .integer(Int64(collection.lastSequence))),
            ]).encoded
        }
    }

    /// The command `sealite collection create`, which creates a collection unless it exists.
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a collection, unless it exists.",
            discussion: "Example: sealite collection create notes.db work.meetings --key-file notes.key")

        @Argument(help: "The database.", completion: .file())
        var database: String

        @Argument(help: "NAME, or SCOPE.NAME: letters, digits, _, - and %.")
        var name: CollectionName

        @OptionGroup var options: DocumentOptions

        func run() throws {
            try options.withDatabase(database) { database in
                let made = try database.createCollection(name: name.name, scope: name.scope)
                options.output.report("made", [made.fullName])
            }
        }
    }

    /// The command `sealite collection delete`, which deletes a collection with all its documents.
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a collection with all its documents.",
            discussion: """
                Asks for confirmation if the collection has documents.

                Example: sealite collection delete notes.db work.meetings --key-file notes.key --yes
                """)

        @Argument(help: "The database.", completion: .file())
        var database: String

        @Argument(help: "NAME, or SCOPE.NAME.")
        var name: CollectionName

        @Flag(help: "Don't ask for confirmation.")
        var yes = false

        @OptionGroup var options: DocumentOptions

        func run() throws {
            var collection = CollectionOptions()
            collection.collection = name
            try options.withDatabase(database) { database in
                let found = try collection.find(in: database)
                let count = try found.count
                if !yes, count > 0 { try ask(found.fullName, count) }
                try StoppableChange("deleting", json: options.output.json).run {
                    try database.deleteCollection(name: name.name, scope: name.scope)
                }
                options.output.report("deleted", [found.fullName])
            }
        }

        private func ask(_ name: String, _ count: UInt64) throws {
            guard options.key.asking.permission.isGiven else {
                throw ToolError.usage(
                    "deleting \"\(name)\" with its \(counted(count, "document")) wasn't confirmed",
                    hint: "confirm it with --yes")
            }
            guard try Console.confirms("Delete \(name) with its \(counted(count, "document"))?") else {
                throw ToolError(
                    .failed, code: "cancelled", "nothing was deleted, because the confirmation was declined")
            }
        }
    }
}
