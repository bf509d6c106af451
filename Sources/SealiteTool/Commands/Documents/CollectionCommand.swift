import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteModel

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
            abstract: "Create a collection, unless it exists.",
            discussion: "Example: sealite collection create notes.db work.meetings --key-file notes.key")

        @Argument(help: "The database.", completion: .file())
        var database: String

        @Argument(help: "NAME, or SCOPE.NAME: letters, digits, _, - and %.")
        var name: CollectionArgument

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
            abstract: "Delete a collection with all its documents.",
            discussion: """
                Asks for confirmation if the collection has documents.

                Example: sealite collection delete notes.db work.meetings --key-file notes.key --yes
                """)

        @Argument(help: "The database.", completion: .file())
        var database: String

        @Argument(help: "NAME, or SCOPE.NAME.")
        var name: CollectionArgument

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

/// The option that names the collection that a command uses.
struct CollectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The collection: its name, or SCOPE.NAME.", valueName: "name"))
    var collection = CollectionArgument.standard

    /// Returns the collection that the option names.
    ///
    /// - Throws: an error if there is no such collection.
    func find(in database: Database) throws -> Collection { try collection.find(in: database) }
}

/// A collection's name on the command line: `notes`, or `work.notes` for the scope `work`. Names contain no dots.
struct CollectionArgument: ExpressibleByArgument, CustomStringConvertible {
    let scope: String
    let name: String

    static let standard = CollectionArgument(scope: Database.defaultScopeName, name: Database.defaultCollectionName)

    /// Returns the collection that has this name.
    ///
    /// - Throws: an error if there is no such collection.
    func find(in database: Database) throws -> Collection {
        guard let found = try database.collection(name: name, scope: scope) else {
            throw ToolError(
                .noInput, code: "no-such-collection", "there is no collection \"\(self)\"",
                hint: "'sealite collection list' shows those there are, 'sealite collection create' makes one")
        }
        return found
    }

    init(scope: String, name: String) {
        (self.scope, self.name) = (scope, name)
    }

    init?(argument: String) {
        // As in queries.
        let argument = argument == "_" ? Database.defaultCollectionName : argument
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1: self.init(scope: Database.defaultScopeName, name: parts[0])
        case 2: self.init(scope: parts[0], name: parts[1])
        default: return nil
        }
    }

    var description: String { scope == Database.defaultScopeName ? name : "\(scope).\(name)" }
    var defaultValueDescription: String { description }
}
