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

    @OptionGroup var place: DatabaseArgument

    @Argument(help: "One or more statements, or a command such as .tables.")
    var statement: String?

    @Option(
        "name=json", name: .customLong("param"),
        help:
            "The value of a named parameter ($name, :name or @name), as JSON; any other text is a string. May be repeated."
    )
    var parameters: [ParameterArgument] = []

    @Flag(help: "Write rows as comma-separated values.")
    var csv = false

    @Flag(help: "Open the database without the right to change it.")
    var readOnly = false

    @Flag(help: "Let SQL write document databases and vaults too, which bypasses their revisions, blobs and sync.")
    var raw = false

    @OptionGroup var extensions: ExtensionOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions
    @OptionGroup(title: "Further databases") var attaching: AttachOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try ValidationError.requireOne(("--csv", csv), ("--json", output.json))
        try key.requireOneReader(("the script", statement == nil))
    }

    func run() throws {
        let sealed = try key.unlock(place.database, freshness: freshness)
        try extensions.load(for: sealed)
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
            path: place.database, parameters: try values())
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

/// The session of `sealite sql`: the connection that runs statements, the format of their rows, and the databases that
/// are attached.
struct SQLSession {
    let connection: RawConnection
    var format: RowFormat
    let protection: WriteProtection
    let attached: AttachedDatabases
    /// The path of the database, whose files `.import` must not open.
    let path: String
    /// The values of named parameters.
    var parameters: [String: SQLValue] = [:]

    /// Runs statements. A signal stops the current one, which changes nothing then, and the connection is closed
    /// properly, so that no journal remains. If all were done when the signal arrived, it has no effect, unless further
    /// ones follow: `isLast` says that none does.
    func run(_ sql: String, isLast: Bool = false) throws {
        let (stopped, stop, interrupter) = (StoppingSignal(), StatementStop(), connection.interrupter)
        let wasInTransaction = connection.isInTransaction
        do {
            try Signals.handling(
                by: { number in
                    guard stopped.note(number) else { return false }
                    stop.request()
                    interrupter.interrupt()
                    return true
                }, staysAfterSuccess: isLast
            ) {
                let shown = ElapsedTime.begin("running", json: format == .json)
                defer { shown?.finish() }
                // Rows would be written into the line.
                let sink = RawRowSink(format.makePrinter()) { shown?.finish() }
                try connection.run(sql, parameters: parameters, into: sink, until: stop)
            }
        } catch let error as SealedFileError {
            if let number = stopped.number, error.code == .cancelled {
                throw EndedBySignal(number: number, effect: effect(wasInTransaction))
            }
            throw protection.explained(error).ofStatement
        }
        if !isLast, let number = stopped.number {
            throw EndedBySignal(number: number, effect: "the statement that was running is done, and no other was run")
        }
    }

    /// Returns a description of the changes that stay after a statement was stopped; `wasInTransaction` says whether a
    /// transaction was open before it.
    private func effect(_ wasInTransaction: Bool) -> String {
        let own = "the running statement changed nothing"
        if connection.isInTransaction { return own + ", and the transaction isn't committed" }
        return wasInTransaction ? own + ", and the transaction was rolled back" : own
    }

    /// Throws an error if a transaction is open, whose changes would be lost silently at the end of the session.
    func requireEnd() throws {
        guard connection.isInTransaction else { return }
        throw ToolError(
            .failed, code: SealedFileError.Code.statement.rawValue,
            "the SQL ends inside a transaction, which was rolled back", hint: "end the transaction with COMMIT")
    }
}

extension ToolError {
    /// The error with the exit status of a failed statement, if SQLite or the database refused a valid statement;
    /// otherwise the error itself.
    fileprivate var ofStatement: ToolError {
        guard status == .usage, code == SealedFileError.Code.refused.rawValue else { return self }
        return ToolError(.failed, code: code, message, hint: hint)
    }
}
