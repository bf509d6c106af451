import ArgumentParser
import SealiteDatabase
import SealiteFile

/// The command `sealite sql`, which runs SQL on a sealed database.
struct SQL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Run SQL on a sealed database.",
        discussion: """
            Runs STATEMENT, or a script from standard input, or, on a terminal, statements from a prompt with \
            history and completion. A script stops at the first statement that fails, with exit code 1.

            A line that begins with a dot is a command, as in the sqlite3 shell: .tables, .schema, .dump, .mode, \
            .import and others, which .help lists.

            --attach NAME=FILE unlocks and attaches a second sealed database; a transaction over both is committed \
            in both or in neither. ATTACH in SQL neither unlocks nor creates sealed databases; "ATTACH \
            'file:PATH?vfs=unix' AS NAME" attaches a plain database, which stays plain.

            Document databases and vaults, including attached ones, are opened read-only, unless --raw is given: \
            writing them by SQL bypasses their revisions, blobs and sync. --read-only takes precedence over --raw.

            Example: sealite sql notes.db "SELECT * FROM notes WHERE text LIKE :t" --param 't=h%' --key-file \
            notes.key --csv
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Argument(help: "One or more statements, or a command such as .tables.")
    var statement: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp(
            "The value of a named parameter ($name, :name or @name), as JSON; any other text is a string. May be repeated.",
            valueName: "name=json"))
    var parameters: [QueryParameter] = []

    @Flag(help: "Write rows as comma-separated values.")
    var csv = false

    @Flag(help: "Open the database without the right to change it.")
    var readOnly = false

    @Flag(help: "Let SQL write document databases and vaults too, which bypasses their revisions, blobs and sync.")
    var raw = false

    @OptionGroup var key: KeyOptions
    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
    @OptionGroup(title: "Further databases") var attaching: AttachOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !(csv && output.json) else { throw ValidationError("--csv and --json can't be given together.") }
        try key.requireOneReader(("the script", statement == nil))
    }

    func run() throws {
        let sealed = try key.unlock(database, freshness: freshness)
        defer { if readOnly { sealed.removeEmptyLog() } }
        try run(in: sealed)
    }

    private func run(in sealed: SealedDatabase) throws {
        let protection = WriteProtection(readOnly: readOnly, raw: raw)
        let kind = try protection.check(sealed, as: "main")
        let connection = readOnly ? try sealed.connectReadOnly() : try sealed.connect()
        let session = SQLSession(
            connection: connection, format: csv ? .csv : output.json ? .json : .columns, protection: protection,
            attached: AttachedDatabases(connection, readOnly: readOnly, protection: protection, key: key),
            path: database, parameters: try values())
        for (target, key) in attaching.attachments(key) { try session.attached.attach(target, key) }
        let shell = SQLPrompt(session)
        if let statement {
            if !(try shell.obey(statement)) { try session.run(statement, isLast: true) }
            try session.requireEnd()
        } else if Console.inputIsTerminal && !key.asking.noInput {
            if let kind { Console.note("this is \(kind.name), opened for reading only; --raw lets SQL write it\n") }
            try Prompt(shell).converse()
        } else {
            try shell.runScript()
        }
    }

    /// Returns the values of the options `--param`, by parameter name. An array or an object is passed as JSON text.
    private func values() throws -> [String: SQLValue] {
        var values: [String: SQLValue] = [:]
        for parameter in parameters {
            let value: SQLValue =
                switch parameter.value {
                case .null: .null
                case .boolean(let value): .integer(value ? 1 : 0)
                case .number(let number): number.exactInt64.map { .integer($0) } ?? .real(number.doubleValue)
                case .string(let text): .text(text)
                case .array, .dictionary, .blob: .text(parameter.text)
                }
            guard values.updateValue(value, forKey: parameter.name) == nil else {
                throw ToolError.usage("--param \(parameter.name) is given twice")
            }
        }
        return values
    }
}
