import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The command `sealite mongo`, whose subcommands read and change documents with MongoDB's filters, updates and
/// pipelines.
struct MongoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mongo",
        abstract: "Read and change documents with MongoDB's filters, updates and pipelines.",
        discussion: """
            Operators, values and error codes are those of MongoDB 8.2; MongoDifferences.md lists what differs.

            Input is Extended JSON, in the relaxed form, the canonical form or a mixture of both. Output is relaxed \
            Extended JSON, one document on each line; --canonical selects the canonical form, which has the type of \
            every number. A document's id is its "_id".

            Everyone who can list processes sees the command line. --filter-file and similar options read the same \
            input from a file instead of an argument.

            Example: sealite mongo find notes.db people '{"age": {"$gte": 21}}' --sort '{"name": 1}' --key-file \
            notes.key
            """,
        subcommands: [
            Find.self, Count.self, Distinct.self, Insert.self, Update.self, Replace.self, Delete.self, Aggregate.self,
            IndexCommands.self,
        ])
}

/// The database and the collection that a command of `sealite mongo` uses.
struct MongoTarget: ParsableArguments {
    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The collection: its name, or SCOPE.NAME; _default is the default one.")
    var collection: CollectionArgument

    func validate() throws {
        if [collection.scope, collection.name].contains(where: { $0.hasPrefix("{") || $0.hasPrefix("[") }) {
            throw ValidationError("the collection is missing: its name comes before the JSON, for example _default")
        }
    }

    /// Opens the database, passes the collection to `body` and closes the database.
    ///
    /// - Parameters:
    ///   - options: the key and the other options for opening the database.
    ///   - isMade: true to create a missing collection; if false, a missing collection is an error.
    ///   - body: uses the collection.
    /// - Returns: the result of `body`.
    /// - Throws: errors from opening the database, and the errors of `body`.
    func withCollection<Result>(
        _ options: DocumentOptions, isMade: Bool = false, _ body: (MongoCollection<MongoDocument>) throws -> Result
    ) throws -> Result {
        try options.withDatabase(database) { database in
            let found =
                isMade
                ? try database.createCollection(name: collection.name, scope: collection.scope)
                : try collection.find(in: database)
            return try body(MongoCollection(found))
        }
    }
}

/// The arguments after the collection's name, in order, without those that are replaced by files.
struct MongoArguments {
    private var texts: ArraySlice<String>
    private let place: MongoTarget
    /// The name of the input that is read from standard input; nil if there is none so far.
    private var reader: String?

    init(_ texts: [String?], place: MongoTarget, options: DocumentOptions) {
        self.texts = texts.compactMap { $0 }[...]
        self.place = place
        reader = options.key.readsStandardInput ? "key" : nil
    }

    /// Returns the value in `file`, or, if `file` is nil, the value of the next argument; nil if there is no further
    /// argument.
    mutating func next(_ name: String, file: String? = nil) throws -> MongoValue? {
        if let file {
            if file == "-" {
                if let reader {
                    throw ToolError.usage("standard input can't hold both the \(reader) and the \(name)")
                }
                reader = name
            }
            return try MongoValue(name, try InputFile(file, besides: place.database).all())
        }
        return try texts.popFirst().map { text throws(ToolError) in try MongoValue(name, Array(text.utf8)) }
    }

    /// Returns the value in `file`, or, if `file` is nil, the value of the next argument, which must exist.
    mutating func require(_ name: String, file: String? = nil) throws -> MongoValue {
        guard let value = try next(name, file: file) else {
            throw ToolError.usage(
                "the \(name) is missing",
                hint: "give it as an argument or with --\(name)-file"
                    + (name == "filter" ? "; {} is the filter that all documents fulfil" : ""))
        }
        return value
    }

    /// Throws an error if arguments are left.
    func requireEnd() throws {
        guard texts.isEmpty else {
            throw ToolError.usage(
                "too many arguments: an argument that is read from a file can't also be given on the command line")
        }
    }
}

/// Extended JSON from the command line: an argument, an option, or a file in place of an argument.
struct MongoValue {
    /// The name of the value in error messages.
    private let name: String
    let value: BSON

    /// Parses a text of Extended JSON.
    init(_ name: String, _ text: [UInt8]) throws(ToolError) {
        self.name = name
        do throws(ExtendedJSONError) {
            value = try BSON(extendedJSON: text)
        } catch {
            throw ToolError.notExtendedJSON(name, error)
        }
    }

    /// Returns the document of an option; an empty one if the option isn't given.
    static func document(_ name: String, option text: String?) throws(ToolError) -> MongoDocument {
        guard let text else { return [:] }
        return try MongoValue(name, Array(text.utf8)).document
    }

    /// Returns the documents of an option; none if the option isn't given.
    static func documents(_ name: String, option text: String?) throws(ToolError) -> [MongoDocument] {
        guard let text else { return [] }
        return try MongoValue(name, Array(text.utf8)).documents
    }

    /// The value as a document; an error if it is of another kind.
    var document: MongoDocument {
        get throws(ToolError) { try document(as: "a document") }
    }

    /// The value as an array of documents; an error if it is of another kind.
    var documents: [MongoDocument] {
        get throws(ToolError) { try documents(as: "an array of documents") }
    }

    /// Returns the value as a document; `kind` says in the error for another value what it has to be.
    func document(as kind: String) throws(ToolError) -> MongoDocument {
        guard case .document(let document) = value else { throw due(kind) }
        return document
    }

    /// Returns the value as an array of documents; `kind` says in the error for another value what it has to be.
    func documents(as kind: String) throws(ToolError) -> [MongoDocument] {
        guard case .array(let items) = value else { throw due(kind) }
        var documents: [MongoDocument] = []
        for item in items {
            guard case .document(let document) = item else { throw due(kind) }
            documents.append(document)
        }
        return documents
    }

    private func due(_ kind: String) -> ToolError { .usage("the \(name) has to be \(kind)") }
}

/// The option for the form of Extended JSON in the output: canonical, or relaxed by default.
struct ExtendedJSONOptions: ParsableArguments {
    @Flag(help: "Write Extended JSON in its canonical form.")
    var canonical = false

    var form: ExtendedJSONForm { canonical ? .canonical : .relaxed }
}

/// The MongoDB filter, an argument or the content of a file, by which a command selects documents. Without a filter, it
/// selects all.
struct FilterOptions: ParsableArguments {
    @Argument(help: "The filter. Default: all documents.")
    var filter: String?

    @Option("file", help: "Read the filter from this file.")
    var filterFile: String?

    /// Returns the filter from the argument or the file; an empty one, which all documents fulfil, if neither is given.
    func document(_ place: MongoTarget, _ options: DocumentOptions) throws -> MongoDocument {
        var arguments = MongoArguments([filter], place: place, options: options)
        let value = try arguments.next("filter", file: filterFile)
        try arguments.requireEnd()
        return try value?.document ?? [:]
    }
}
