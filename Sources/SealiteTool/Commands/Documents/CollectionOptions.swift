import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteModel

/// The option that names the collection that a command uses.
struct CollectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The collection: its name, or SCOPE.NAME.", valueName: "name"))
    var collection = CollectionName.standard

    /// Returns the collection that the option names.
    ///
    /// - Throws: an error if there is no such collection.
    func find(in database: Database) throws -> Collection { try collection.find(in: database) }
}
