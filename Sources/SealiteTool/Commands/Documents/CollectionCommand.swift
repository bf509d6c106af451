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
    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the collections and how many documents each has.",
            discussion: "Example: sealite collection list notes.db --key-file notes.key")

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var options: DocumentOptions

        func run(in database: Database) throws {
            let collections = try database.statistics().collections
            let width = collections.map(\.fullName.count).max() ?? 0
            for collection in collections {
                options.output.print(
                    row(collection, width),
                    json: [
                        "collection": collection.fullName, "documents": collection.documentCount,
                        "deleted": collection.deletedCount, "conflicts": collection.conflictCount,
                        "lastSequence": collection.lastSequence, "deltaBaseBytes": collection.deltaBaseByteCount,
                    ])
            }
        }

        private func row(_ collection: DatabaseStatistics.Collection, _ width: Int) -> String {
            var text = "\(collection.fullName.padded(to: width))  \(counted(collection.documentCount, "document"))"
            if collection.deletedCount > 0 { text += ", \(collection.deletedCount) deleted" }
            if collection.conflictCount > 0 { text += ", \(collection.conflictCount) in conflict" }
            return text
        }

    }

    /// The command `sealite collection create`, which creates a collection unless it exists.
    struct Create: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a collection, unless it exists.",
            discussion: "Example: sealite collection create notes.db work.meetings --key-file notes.key")

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "NAME, or SCOPE.NAME: letters, digits, _, - and %.")
        var name: CollectionArgument

        @OptionGroup var options: DocumentOptions

        func run(in database: Database) throws {
            let made = try database.createCollection(name: name.name, scope: name.scope)
            options.output.report("made", [made.fullName])
        }
    }

    /// The command `sealite collection delete`, which deletes a collection with all its documents.
    struct Delete: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a collection with all its documents.",
            discussion: """
                Asks for confirmation if the collection has documents.

                Example: sealite collection delete notes.db work.meetings --key-file notes.key --yes
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "NAME, or SCOPE.NAME.")
        var name: CollectionArgument

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var options: DocumentOptions
        func run(in database: Database) throws {
            let found = try name.find(in: database)
            let count = try found.count
            if count > 0 {
                let documents = "with its \(counted(count, "document"))"
                try confirmation.require(
                    "Delete \(found.fullName) \(documents)?", options.key.asking.permission,
                    act: "deleting \"\(found.fullName)\" \(documents)", refusal: "nothing was deleted")
            }
            try StoppableChange("deleting", json: options.output.json).run {
                try database.deleteCollection(name: name.name, scope: name.scope)
            }
            options.output.report("deleted", [found.fullName])
        }
    }
}

/// The option that names the collection that a command uses.
struct CollectionOptions: ParsableArguments {
    @Option("name", help: "The collection: its name, or SCOPE.NAME.")
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

    init(_ collection: Collection) { self.init(scope: collection.scopeName, name: collection.name) }

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
