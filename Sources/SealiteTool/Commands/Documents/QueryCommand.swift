import ArgumentParser
import SealiteDatabase
import SealiteQuery

/// `sealite query`
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Query or change the documents of a database in SQL++.",
        discussion: """
            Collections are named as in 'sealite collection list'; _ is the default one. Values that may be secret go into parameters, \
            which --param-file reads from a file: what is written into QUERY is seen by everyone who sees the process.

            UPDATE, DELETE and INSERT change documents, all or none. They print the rows of RETURNING, or else the number of documents changed.

            Example: sealite query notes.db 'SELECT name, age FROM _ WHERE age > $age ORDER BY age' --param age=30 --key-file notes.key
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "The query.")
    var query: String

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp("A parameter's value in JSON; what isn't JSON is text.", valueName: "name=json"))
    var parameters: [QueryParameter] = []

    @Option(
        help: ArgumentHelp("A file with a JSON object of parameters.", valueName: "file"), completion: .file())
    var paramFile: String?

    @Flag(help: "Write rows as comma-separated values.")
    var csv = false

    @Flag(help: "Say how the query is run instead of running it.")
    var explain = false

    @Flag(help: "With --explain: run the query, and add rows read, pages opened and the time.")
    var measure = false

    @Option(help: ArgumentHelp("End after this many rows.", valueName: "n"))
    var rows: Int?

    @OptionGroup var options: DocumentOptions

    func validate() throws {
        guard !(csv && options.output.json) else { throw ValidationError("--csv and --json can't be given together.") }
        guard explain || !measure else { throw ValidationError("--measure belongs to --explain.") }
    }

    func run() throws {
        let values = try parameterValues()
        try options.withDatabase(database) { database in
            let query = try database.createQuery(query)
            query.parameters = values
            query.rowLimit = rows
            if explain { return try print(query.explain(measuring: measure)) }
            let stopped = StoppingSignal()
            let results = try query.execute()
            guard !results.columnNames.isEmpty else { return print(changed: results.changedDocumentCount) }
            let format: RowFormat = csv ? .csv : options.output.json ? .json : .columns
            let printer = format.makePrinter(leavesOutNone: true)
            printer.begin(columns: results.columnNames)
            defer { printer.end() }
            try Signals.handling(by: { stopped.note($0) }) {
                while stopped.number == nil, let row = try results.nextResult() { printer.row(try row.cells) }
            }
            if let number = stopped.number { throw EndedBySignal(number: number) }
        }
    }

    private func parameterValues() throws -> Parameters {
        let values = Parameters()
        if let paramFile {
            let input = try InputFile(paramFile, besides: database)
            var bytes: [UInt8] = []
            while case let piece = try input.piece(), !piece.isEmpty { bytes += piece }
            for (name, value) in try DictionaryObject(json: String(decoding: bytes, as: UTF8.self)).entries {
                values.setValue(value, forName: name)
            }
        }
        for parameter in parameters { values.setValue(parameter.value, forName: parameter.name) }
        return values
    }

    private func print(changed count: Int) {
        Console.print(
            options.output.json
                ? JSONValue.object([("changed", .integer(Int64(count)))]).encoded
                : "changed \(count) \(count == 1 ? "document" : "documents")")
    }

    private func print(_ plan: QueryPlan) {
        Console.print(options.output.json ? plan.json : plan.description)
    }
}

/// A parameter on the command line: `name=json`.
struct QueryParameter: ExpressibleByArgument {
    let name: String
    let value: Value

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        name = String(argument[..<equals].drop { $0 == "$" })
        let text = String(argument[argument.index(after: equals)...])
        // A value by itself is no document; as a member it is read by the same rules.
        let member = try? DictionaryObject(json: "{\"value\":\(text)}")
        value = member?.count == 1 ? member?.value(forKey: "value") ?? .string(text) : .string(text)
    }
}

extension Result {
    /// The row as the tool writes it.
    fileprivate var cells: [RowCell] {
        get throws {
            try texts().map { cell in
                switch cell {
                case .missing: .none
                case .number(let text): .number(text)
                case .text(let text): .text(text)
                case .json(let text): .json(text)
                }
            }
        }
    }
}
