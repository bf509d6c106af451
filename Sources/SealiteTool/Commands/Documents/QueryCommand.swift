import ArgumentParser
import SealiteDatabase
import SealiteQuery

/// The command `sealite query`, which queries or changes the documents of a database in SQL++.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Query or change the documents of a database in SQL++.",
        discussion: """
            Collections are named as in 'sealite collection list'; _ is the default collection. Pass values that may \
            be secret as parameters in a file, with --param-file: everyone who can list processes sees the text of \
            QUERY.

            UPDATE, DELETE and INSERT change all documents or none. They print the rows of RETURNING, or otherwise \
            the number of changed documents.

            Without QUERY, statements that end with ';' are read: on a terminal at a prompt with history and completion, else from \
            standard input up to the first that fails. A statement may leave parameters unused.

            With --live the command continues after the result, and prints a line for each row that is inserted (+), \
            removed (-), changed (~) or moved (>), whichever process changed the documents, until a signal ends it. \
            With --json each line is an object with kind (inserted, removed, updated, moved), position, from (the \
            former position of a moved row) and row; {"kind":"result","count":n} follows the lines of each result. \
            If the database can't be read temporarily, a warning is printed, and the query continues. If the file is \
            replaced, renamed or removed, the command ends with exit code 74.

            Example: sealite query notes.db 'SELECT name, age FROM _ WHERE age > $age ORDER BY age' --param age=30 \
            --key-file notes.key

            Full-text search, after 'sealite index create notes.db words --full-text text', with the best matches \
            first:
            sealite query notes.db 'SELECT text FROM _ WHERE MATCH(words, $text) ORDER BY RANK(words) DESC LIMIT 10' \
            --param text='milk NOT tea' --key-file notes.key
            """)

    @OptionGroup var place: DatabaseArgument

    @Argument(help: "The query.")
    var query: String?

    @Option(
        "name=json", name: .customLong("param"),
        help: "The value of a parameter ($name), as JSON; any other text is a string. May be repeated.")
    var parameters: [ParameterArgument] = []

    @Option("file", help: "A file with a JSON object whose members are parameters.")
    var paramFile: String?

    @Flag(help: "Write rows as comma-separated values.")
    var csv = false

    @Flag(help: "Show the query plan instead of running the query.")
    var explain = false

    @Flag(help: "With --explain: run the query, and add rows read, pages opened and the time.")
    var measure = false

    @Option("n", help: "The maximum number of rows; with --live, of rows that are watched. Default: no limit.")
    var rows: Int?

    @Flag(help: "After the result, print its changes until interrupted.")
    var live = false

    @Option(
        "column",
        help:
            "With --live: the column that identifies rows. Default: the column id if its values are unique, otherwise the whole row."
    )
    var keyedBy: String?

    @OptionGroup var options: DocumentOptions

    func validate() throws {
        try ValidationError.requireOne(("--csv", csv), ("--json", options.output.json))
        guard explain || !measure else { throw ValidationError("--measure needs --explain.") }
        guard live || keyedBy == nil else { throw ValidationError("--keyed-by needs --live.") }
        guard !live || query != nil else { throw ValidationError("--live needs a query as an argument.") }
        try ValidationError.requireOne(("--live", live), ("--csv", csv))
        try ValidationError.requireOne(("--live", live), ("--explain", explain))
        try rows.requirePositive("--rows")
        try options.key.requireOneReader(("the queries", query == nil), ("the parameters", paramFile == "-"))
    }

    func run() throws {
        let values = try parameterValues()
        let path = place.database
        try options.withDatabase(path) { database in
            if live, let query {
                let watched = try database.createQuery(query)
                watched.parameters = values
                try watched.requireValues(in: values)
                watched.rowLimit = rows
                return try LiveSession(
                    query: watched, path: path, keyColumn: keyedBy, printsJSON: options.output.json
                ).run()
            }
            let session = QuerySession(
                database: database, parameters: values, format: csv ? .csv : options.output.json ? .json : .columns,
                rowLimit: rows, explains: explain, measures: measure)
            if let query {
                try session.run(query, isOnly: true)
            } else if Console.inputIsTerminal && !options.key.asking.noInput {
                try Prompt(QueryPrompt(session)).converse()
            } else {
                try session.runScript()
            }
        }
    }

    private func parameterValues() throws -> Parameters {
        let values = Parameters()
        if let paramFile {
            let input = try InputFile(paramFile, besides: place.database)
            var bytes: [UInt8] = []
            while case let piece = try input.piece(), !piece.isEmpty { bytes += piece }
            for (name, value) in try DictionaryObject(json: String(decoding: bytes, as: UTF8.self)).entries {
                values.setValue(value, forName: name)
            }
        }
        for parameter in parameters { values.setValue(parameter.value, forName: parameter.name) }
        return values
    }
}

/// A parameter on the command line: `name=json`. The name may begin with `$`, or as in SQL with `:` or `@`.
struct ParameterArgument: ExpressibleByArgument {
    let name: String
    let value: Value
    /// The value as it was typed.
    let text: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        name = String(argument[..<equals].drop { "$:@".contains($0) })
        text = String(argument[argument.index(after: equals)...])
        // A single value isn't a document; as a member it is parsed by the same rules.
        let member = try? DictionaryObject(json: "{\"value\":\(text)}")
        value = member?.count == 1 ? member?.value(forKey: "value") ?? .string(text) : .string(text)
    }
}
