import ArgumentParser
import SealiteDatabase
import SealiteModel

extension ModelCommand {
    /// The command `sealite model check`, which lists the documents that don't conform to their schemas.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "List the documents that don't fit their schemas.",
            discussion: """
                Synced documents are stored whatever the schema says, and documents may be older than the schema. \
                Each line has the collection, the id, the property and the keyword that isn't satisfied, never a \
                value. A date, bytes or a UUID that is stored as text is named as such. If there is such a document, the command ends with exit code 1.

                Example: sealite model check pets.db Dog --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The types. Default: all.")
        var types: [String] = []

        @Option("n", help: "End after this many documents that don't fit.")
        var limit: Int?

        @OptionGroup var options: DocumentOptions

        func validate() throws { try limit.requirePositive("--limit") }

        func run() throws {
            let (count, isText) = try options.withDatabase(place.database) { database in
                let unfit = try UnfitDocuments(of: try SchemaCatalogue(database).find(types))
                let (limit, isJSON) = (limit ?? .max, options.output.json)
                return try stoppable {
                    var (count, isText) = (0, false)
                    for try await one in unfit {
                        guard count < limit else { break }
                        count += 1
                        isText = isText || one.violations.contains(where: \.isText)
                        one.print(isJSON: isJSON)
                    }
                    return (count, isText)
                }
            }
            guard count > 0 else { return }
            throw ToolError(
                .failed, code: "unfit-documents",
                "\(count == limit ? "at least " : "")\(count) document\(count == 1 ? "" : "s") \(count == 1 ? "doesn't" : "don't") fit the stored schemas",
                hint: isText ? "'sealite model convert' stores text in the form of the schemas' types" : nil)
        }
    }
}

extension UnfitDocument {
    fileprivate func print(isJSON: Bool) {
        let place = document.collection.fullName
        guard !isJSON else {
            return Console.print(["collection": place, "id": document.id, "type": type, "violations": violations])
        }
        for violation in violations { Console.print("\(place)  \(document.id)  \(violation)".withoutControls) }
    }
}

extension SchemaViolation: JSONRepresentable {
    /// The violation as JSON, for scripts.
    var json: JSONValue {
        ["path": path, "keyword": keyword, "expected": expected, "stored": isText ? "text" : nil]
    }
}
