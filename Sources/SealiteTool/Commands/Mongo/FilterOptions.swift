import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The MongoDB filter, an argument or the content of a file, by which a command selects documents. Without a filter, it
/// selects all.
struct FilterOptions: ParsableArguments {
    @Argument(help: "The filter. Default: all documents.")
    var filter: String?

    @Option(help: ArgumentHelp("Read the filter from this file.", valueName: "file"), completion: .file())
    var filterFile: String?

    /// Returns the filter from the argument or the file; an empty one, which all documents fulfil, if neither is given.
    func document(_ place: MongoTarget, _ options: DocumentOptions) throws -> MongoDocument {
        var arguments = MongoArguments([filter], place: place, options: options)
        let value = try arguments.next("filter", file: filterFile)
        try arguments.requireEnd()
        return try value?.document ?? [:]
    }
}
