import ArgumentParser
import SealiteDatabase
import SealiteModel
import SealiteValues

extension ModelCommand {
    /// The command `sealite model infer`, which infers a schema from the documents of a collection.
    struct Infer: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "infer",
            abstract: "Infer a schema from the documents of a collection.",
            discussion: """
                A member that all documents have is required; a member with values of several types is mixed. With \
                --places the command prints instead, for each path in the documents, the types of the values with \
                their counts, and the texts if there are few.

                Example: sealite model infer pets.db dogs --title Dog --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The collection: its name, or SCOPE.NAME; _default is the default one.")
        var collection: CollectionArgument

        @Option("name", help: "The name of the document type. Default: the collection's name.")
        var title: String?

        @Option("n", help: "Look at this many documents at most.")
        var limit: Int?

        @Flag(help: "Write the types found at each path instead of the schema.")
        var places = false

        @OptionGroup var options: DocumentOptions

        private struct Enough: Error {}

        func validate() throws { try limit.requirePositive("--limit") }

        func run() throws {
            let sampler = try options.withDatabase(place.database) { database in
                let collection = try collection.find(in: database)
                let title = title ?? collection.name
                guard 1...57 ~= title.count else {
                    throw ToolError.usage(
                        "a type's name has 1 to 57 characters, and \"\(title)\" has \(title.count)",
                        hint: "give the type another name with --title")
                }
                var sampler = SchemaSampler(title: title)
                let total = min(Int64(try collection.count), Int64(limit ?? .max))
                let progress = ProgressReporter(json: options.output.json)
                defer { progress.finish() }
                do {
                    try collection.forEachDocument { document in
                        guard sampler.documentCount < limit ?? .max else { throw Enough() }
                        sampler.add(document)
                        progress.report("reading", completed: sampler.documentCount, total: total)
                    }
                } catch is Enough {}
                return sampler
            }
            guard sampler.documentCount > 0 else {
                throw ToolError(
                    .noInput, code: "no-documents",
                    "the collection \"\(collection)\" has no documents to infer a schema from")
            }
            guard places else {
                let schema = sampler.schema
                let name = schema.roots.first?.name ?? ""
                return Console.print(schema.jsonSchema(of: name).schemaText(json: options.output.json))
            }
            for place in sampler.places { options.output.print(place.line.withoutControls, json: place.json) }
        }
    }
}

extension SchemaSampler.Position {
    private var sortedTypes: [(key: String, value: Int)] {
        types.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    private var sortedTexts: [(key: String, value: Int)] {
        enumeration.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    /// The path of the property, the types of its values with their counts, and its texts if there are few, as a line
    /// for people.
    fileprivate var line: String {
        let values = sortedTypes.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        var text = "\(path)  \(values)  of \(parentCount)"
        if !enumeration.isEmpty {
            text += "  " + sortedTexts.map { "\"\($0.key)\" \($0.value)" }.joined(separator: ", ")
        }
        return text
    }

    /// The path of the property, the types of its values with their counts, and its texts if there are few, as JSON for
    /// scripts.
    fileprivate var json: JSONValue {
        func object(_ counts: [(key: String, value: Int)]) -> JSONValue {
            .object(counts.map { ($0.key, $0.value.json) })
        }
        return [
            "path": path, "types": object(sortedTypes), "parents": parentCount,
            "enumeration": enumeration.isEmpty ? nil : object(sortedTexts),
        ]
    }
}

extension SchemaSampler {
    /// Adds a stored document to the sample; a damaged one isn't counted.
    fileprivate mutating func add(_ document: Document) {
        guard let body = MongoDocument(stored: document.body) else { return }
        var whole: MongoDocument = ["_id": DocumentKey.value(of: document.id)]
        for member in body { whole.append(member.key, member.value) }
        add(whole)
    }
}
