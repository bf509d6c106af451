import ArgumentParser
import SealiteMongo
import SealiteValues

/// The options of `sealite mongo update` and `replace`: whether a document is inserted if none matches, and the order
/// by which the first match is chosen.
struct ReplacingOptions: ParsableArguments {
    @Flag(help: "Insert a document if none fulfils the filter; the collection is created if it doesn't exist.")
    var upsert = false

    @Option(help: ArgumentHelp("The sort order by which the first document is chosen.", valueName: "json"))
    var sort: String?
}
