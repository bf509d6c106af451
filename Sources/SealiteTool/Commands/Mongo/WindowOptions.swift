import ArgumentParser
import SealiteMongo
import SealiteValues

/// The options that select a range of the matching documents: the number of skipped documents, and the maximum number
/// of results.
struct WindowOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The number of documents to skip.", valueName: "n"))
    var skip = 0

    @Option(help: ArgumentHelp("The maximum number of documents. Default: no limit.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        guard skip >= 0 else { throw ValidationError("--skip takes no negative number.") }
        guard limit ?? 1 > 0 else { throw ValidationError("--limit takes a number above 0.") }
    }
}
