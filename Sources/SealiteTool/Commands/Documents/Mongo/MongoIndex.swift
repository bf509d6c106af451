import ArgumentParser
import SealiteMongo
import SealiteValues

extension MongoCommand {
    /// The command `sealite mongo index`, whose subcommands list, create and delete indexes over paths.
    struct IndexCommands: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "index",
            abstract: "List, create and delete indexes over paths, which speed up filters.",
            discussion: "Example: sealite mongo index create notes.db people '{\"age\": 1}' --key-file notes.key",
            subcommands: [List.self, Create.self, Delete.self])
    }
}

extension MongoCommand.IndexCommands {
    /// The command `sealite mongo index list`, which lists the indexes of a collection.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the indexes of a collection; the index over _id comes first.",
            discussion: "Example: sealite mongo index list notes.db people --key-file notes.key")

        @OptionGroup var place: MongoTarget
        @OptionGroup var options: DocumentOptions

        func run() throws {
            let indexes = try place.withCollection(options) { collection in
                try stoppable { try await collection.listIndexes() }
            }
            for index in indexes { options.output.print(index.line, json: index.json) }
        }
    }

    /// The command `sealite mongo index create`, which creates an index unless an index of the same definition exists.
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create an index, unless an index of the same definition exists.",
            discussion: """
                KEYS is an object with paths and 1 or -1, in order. An array at a path has an entry for each of its \
                items. With "2dsphere" instead, the index is one on the geometries at the path.

                Example: sealite mongo index create notes.db people '{"address.city": 1, "age": -1}' --key-file \
                notes.key
                """)

        @OptionGroup var place: MongoTarget

        @Argument(help: "The paths in their order, such as {\"age\": 1}.")
        var keys: String

        @Option("name", help: "The index's name. Default: the paths with their directions, such as age_1.")
        var name: String?

        @Flag(help: "Make the index unique.")
        var unique = false

        @Flag(help: "Leave out documents that have a value at none of the paths.")
        var sparse = false

        @Option("filter", help: "Apply --unique only to the documents that fulfil this filter.")
        var partial: String?

        @Option(
            "seconds",
            help: "Remove each document this long after the date at the path of the index, which has only one path.")
        var expireAfter: Int?

        @OptionGroup var options: DocumentOptions

        func run() throws {
            let keys = try MongoValue("argument KEYS", Array(keys.utf8)).document
            let partial = try partial.map { text in try MongoValue("value of --partial", Array(text.utf8)).document }
            let definition = IndexOptions(
                name: name, unique: unique, sparse: sparse, partialFilterExpression: partial,
                expireAfterSeconds: expireAfter)
            let made = try place.withCollection(options) { collection in
                try StoppableChange("indexing", json: options.output.json).runTask {
                    try await collection.createIndex(keys, options: definition)
                }
            }
            options.output.report("made", [made])
        }
    }

    /// The command `sealite mongo index delete`, which deletes an index of a collection.
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete an index; documents stay as they are.",
            discussion: "Example: sealite mongo index delete notes.db people age_1 --key-file notes.key")

        @OptionGroup var place: MongoTarget

        @Argument(help: "The name of the index.")
        var name: String

        @OptionGroup var options: DocumentOptions

        func run() throws {
            let name = name
            try place.withCollection(options) { collection in
                try StoppableChange("deleting", json: options.output.json).runTask {
                    try await collection.dropIndex(name)
                }
            }
            options.output.report("deleted", [name])
        }
    }
}

extension IndexModel {
    /// The index as JSON with MongoDB's names.
    fileprivate var json: JSONValue {
        [
            "name": options.name, "key": JSONValue.json(keys.extendedJSON()), "unique": JSONValue.flag(options.unique),
            "sparse": JSONValue.flag(options.sparse),
            "partialFilterExpression": options.partialFilterExpression.map { JSONValue.json($0.extendedJSON()) },
            "expireAfterSeconds": options.expireAfterSeconds,
        ]
    }

    /// The index as a line for people.
    fileprivate var line: String {
        var parts = [(options.name ?? "").withoutControls, keys.extendedJSON()]
        if options.unique { parts.append("unique") }
        if options.sparse { parts.append("sparse") }
        if let filter = options.partialFilterExpression {
            parts.append("partial \(filter.extendedJSON())")
        }
        if let seconds = options.expireAfterSeconds { parts.append("expires after \(seconds) s") }
        return parts.joined(separator: "  ")
    }
}
