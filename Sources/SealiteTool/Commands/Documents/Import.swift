import ArgumentParser
import SealiteDatabase
import SealiteFile

/// `sealite import`
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Save each line of a file, a JSON object, as a document.",
        discussion: """
            A document's id is its member "_id", as 'sealite export' writes it, which isn't stored a second time; a line without \
            one gets a random UUID. With --id-field another member gives the id, which every line must have then and which \
            stays in the document. Ids are text or integers. A document that is there already gets a new revision.

            Lines are saved in transactions of a thousand: when one can't be, the error names it and those of the transactions \
            before stay. With --atomic nothing stays.

            Example: sealite import geo.db countries.jsonl --id-field alpha_3 --key-file geo.key
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The member that gives the id.", valueName: "name"))
    var idField: String?

    @Flag(help: "All lines in one transaction.")
    var atomic = false

    @Option(help: ArgumentHelp("The collection, made if it isn't there: its name, or SCOPE.NAME.", valueName: "name"))
    var collection = CollectionName(scope: Database.defaultScopeName, name: Database.defaultCollectionName)

    @OptionGroup var options: DocumentOptions

    /// The member that contains the id: no document can have a property with this name.
    static let standardIDField = "_id"

    func validate() throws { try options.requireStandardInput(isContent: file == "-") }

    func run() throws {
        let progress = ProgressReporter(json: options.output.json)
        defer { progress.finish() }
        let count = try options.withDatabase(database) { database in
            let input = try InputFile(file, besides: self.database)
            let stopped = StoppingSignal()
            return try Signals.handling(by: { stopped.note($0) }) {
                let collection = try database.createCollection(name: collection.name, scope: collection.scope)
                var run = ImportRun(
                    input: input, collection: collection, idField: idField, isAtomic: atomic, progress: progress,
                    stopped: stopped)
                if atomic { try database.write { _ in try run.saveAll() } } else { try run.saveAll() }
                return run.savedCount
            }
        }
        progress.finish()
        Console.print(
            options.output.json
                ? JSONValue.object([("imported", .integer(Int64(count)))]).encoded : "imported \(count) documents")
    }
}

/// An import in progress.
private struct ImportRun {
    let input: InputFile
    let collection: Collection
    let idField: String?
    let isAtomic: Bool
    let progress: ProgressReporter
    let stopped: StoppingSignal
    private(set) var savedCount = 0
    private let lines: LineBatches

    init(
        input: InputFile, collection: Collection, idField: String?, isAtomic: Bool, progress: ProgressReporter,
        stopped: StoppingSignal
    ) {
        (self.input, self.collection, self.idField, self.isAtomic) = (input, collection, idField, isAtomic)
        (self.progress, self.stopped, lines) = (progress, stopped, LineBatches(input))
    }

    mutating func saveAll() throws {
        while let batch = try nextBatch() {
            try collection.database.write { _ in
                for (line, document) in batch {
                    _ = try naming(line) { try collection.save(document: document) }
                }
            }
            savedCount += batch.count
            progress.report("importing", completed: input.position, total: input.byteCount)
            if let number = stopped.number { throw EndedBySignal(number: number) }
        }
    }

    /// Reads and parses the documents of one transaction before the lock is taken.
    private func nextBatch() throws -> [(line: Int, item: MutableDocument)]? {
        try lines.next { line, bytes in try naming(line) { try Self.document(bytes, idField) } }
    }

    private static func document(_ line: [UInt8], _ idField: String?) throws -> MutableDocument {
        let name = idField ?? Import.standardIDField
        var object = try JSONBObject(json: line)
        guard let value = object.scalar(forKey: name) else {
            guard idField == nil else {
                throw ToolError(.failed, code: "no-id", "the object has no member \"\(name)\"")
            }
            return MutableDocument(object: object)
        }
        let id: String
        switch value {
        case .string(let text): id = text
        case .number(let number) where number.exactInt64 != nil: id = number.description
        default:
            throw ToolError(.failed, code: "no-id", "the member \"\(name)\" is neither text nor an integer")
        }
        if name.hasPrefix("_") { object.remove(name) }
        return MutableDocument(id: id, object: object)
    }

    /// Runs `body`; its errors name the line and state what is stored.
    private func naming<Result>(_ line: Int, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            let error = ToolError(any: error)
            guard error.status == .failed || error.status == .usage else { throw error }
            let before = savedCount > 0 && !isAtomic ? " (\(savedCount) documents before it are saved)" : ""
            throw ToolError(
                .failed, code: error.code, "line \(line): \(error.message)\(before)",
                hint: error.code == "invalid-json"
                    ? "import takes one JSON object on each line; jq -c '.[]' makes such lines of an array" : error.hint
            )
        }
    }
}
