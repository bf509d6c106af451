import ArgumentParser
import SealiteMongo
import SealiteValues

extension MongoCommand {
    /// `sealite mongo index`
    struct Index: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List, make and delete the indexes that filters use.",
            discussion: "Example: sealite mongo index create notes.db people '{\"age\": 1}' --key-file notes.key",
            subcommands: [List.self, Create.self, Delete.self])
    }
}

extension MongoCommand.Index {
    /// `sealite mongo index list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the indexes of a collection, each with its options, one to a line.",
            discussion: "Example: sealite mongo index list notes.db people --key-file notes.key")

        @OptionGroup var place: MongoPlace
        @OptionGroup var form: ExtendedJSONOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            let indexes = try place.withCollection(options) { collection in
                try stoppable { try await collection.listIndexes() }
            }
            for index in indexes { index.document.print(form.form) }
        }
    }

    /// `sealite mongo index create`
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an index over paths. One of the same definition stays as it is.",
            discussion: """
                The keys are paths, each with 1 or -1. An index over a path through an array has an entry for each item.

                Example: sealite mongo index create notes.db people '{"mail": 1}' --unique --key-file notes.key
                Example: sealite mongo index create notes.db sessions '{"seen": 1}' --expire-after 3600 --key-file notes.key
                """)

        @OptionGroup var place: MongoPlace

        @Argument(help: "The paths, such as {\"age\": 1, \"name\": 1}.")
        var keys: String

        @Option(help: "The name; without it the paths and directions.")
        var name: String?

        @Flag(help: "Refuse documents whose values another document has; what sync brings is kept.")
        var unique = false

        @Flag(help: "Leave out documents without a value at any of the paths.")
        var sparse = false

        @Option(help: ArgumentHelp("The filter of the documents that --unique holds for.", valueName: "filter"))
        var partial: String?

        @Option(
            help: ArgumentHelp("Remove documents so long after the date at the index's one path.", valueName: "seconds")
        )
        var expireAfter: Int?

        @OptionGroup var options: DocumentOptions

        func run() throws {
            let keys = try MongoValue("keys", Array(keys.utf8)).document
            let filter = try partial.map { try MongoValue("filter", Array($0.utf8)).document }
            let index = IndexOptions(
                name: name, unique: unique, sparse: sparse, partialFilterExpression: filter,
                expireAfterSeconds: expireAfter)
            let made = try place.withCollection(options) { collection in
                try stoppable { try await collection.createIndex(keys, options: index) }
            }
            options.output.report("made", [made])
        }
    }

    /// `sealite mongo index delete`
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an index; documents stay as they are.",
            discussion: "Example: sealite mongo index delete notes.db people age_1 --key-file notes.key")

        @OptionGroup var place: MongoPlace

        @Argument(help: "The name of the index.")
        var name: String

        @OptionGroup var options: DocumentOptions

        func run() throws {
            let name = name
            try place.withCollection(options) { collection in
                try stoppable { try await collection.dropIndex(name) }
            }
            options.output.report("deleted", [name])
        }
    }
}

extension IndexModel {
    /// The index as a document, by the names of MongoDB's `listIndexes`.
    fileprivate var document: MongoDocument {
        var members: MongoDocument = ["key": .document(keys)]
        members["name"] = options.name.map { .string($0) }
        if options.unique { members["unique"] = true }
        if options.sparse { members["sparse"] = true }
        members["partialFilterExpression"] = options.partialFilterExpression.map { .document($0) }
        members["expireAfterSeconds"] = options.expireAfterSeconds.map { BSON($0) }
        return members
    }
}
