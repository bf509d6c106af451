import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The database and the collection that a command of `sealite mongo` works on.
struct MongoPlace: ParsableArguments {
    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The collection: its name, or SCOPE.NAME; _default is the default one.")
    var collection: CollectionName

    /// Opens the database for as long as `body` runs.
    ///
    /// - Parameters:
    ///   - options: the key and the rest of what opens the database.
    ///   - isMade: true where the collection is made if it isn't there, else that is an error.
    ///   - body: works on the collection.
    /// - Returns: what `body` returns.
    /// - Throws: what opening the database and `body` throw.
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

/// The form of Extended JSON that is written.
struct ExtendedJSONOptions: ParsableArguments {
    @Flag(help: "Write Extended JSON in its canonical form.")
    var canonical = false

    var form: ExtendedJSONForm { canonical ? .canonical : .relaxed }
}

/// Which documents a command is about, where all are if nothing is said.
struct FilterOptions: ParsableArguments {
    @Argument(help: "The filter; without it all documents.")
    var filter: String?

    @Option(help: ArgumentHelp("Read the filter from this file.", valueName: "file"), completion: .file())
    var filterFile: String?

    /// Returns the filter.
    func document(_ place: MongoPlace, _ options: DocumentOptions) throws -> MongoDocument {
        var arguments = MongoArguments([filter], place: place, options: options)
        let value = try arguments.next("filter", file: filterFile)
        try arguments.requireEnd()
        return try value?.document ?? [:]
    }
}
