import ArgumentParser
import SealiteModel

extension ModelCommand {
    /// The command `sealite model convert`, which stores dates, bytes and UUIDs in the form of their schemas.
    struct Convert: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "convert",
            abstract: "Store dates, bytes and UUIDs that are text in the form of their schemas.",
            discussion: """
                Documents of Couchbase Lite hold dates as ISO 8601 text, and programs may hold bytes as Base64 and UUIDs \
                as text. Where a schema says date, binData or uuid, this command replaces such text by the typed form, \
                {"$date": …}, {"$binary": …} or {"$uuid": …}. All other text is kept. Either all documents are changed, \
                in one transaction, or none. 'sealite model check' names the documents.

                Example: sealite model convert pets.db Dog --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The types. Default: all.")
        var types: [String] = []

        @OptionGroup var options: DocumentOptions

        func run() throws {
            let count = try options.withDatabase(place.database) { database in
                let catalogue = SchemaCatalogue(database)
                let schemas = try catalogue.find(types)
                return try StoppableChange("converting", json: options.output.json).run {
                    try catalogue.convertForms(of: schemas)
                }
            }
            options.output.print("converted \(counted(count, "document"))", json: ["converted": count])
        }
    }
}
