import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The database and the collection that a command of `sealite mongo` uses.
struct MongoTarget: ParsableArguments {
    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The collection: its name, or SCOPE.NAME; _default is the default one.")
    var collection: CollectionName

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
