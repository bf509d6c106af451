import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The filter of the documents for a command; all documents without one.
struct FilterOptions: ParsableArguments {
    @Argument(help: "The filter. Default: all documents.")
    var filter: String?

    @Option(help: ArgumentHelp("Read the filter from this file.", valueName: "file"), completion: .file())
    var filterFile: String?

    /// Returns the filter.
    func document(_ place: MongoTarget, _ options: DocumentOptions) throws -> MongoDocument {
        var arguments = MongoArguments([filter], place: place, options: options)
        let value = try arguments.next("filter", file: filterFile)
        try arguments.requireEnd()
        return try value?.document ?? [:]
    }
}
