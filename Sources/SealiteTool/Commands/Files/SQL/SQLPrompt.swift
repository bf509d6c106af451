import SealiteFile
import SealiteJSON

/// The session of the prompt of `sealite sql`: runs SQL and the prompt's commands, such as `.tables`.
final class SQLPrompt: PromptSession {
    private var session: SQLSession

    init(_ session: SQLSession) { self.session = session }

    var format: RowFormat {
        get { session.format }
        set { session.format = newValue }
    }

    func isComplete(_ text: String) -> Bool { RawConnection.isComplete(text) }

    func run(_ text: String) throws { try session.run(text) }

    func explained(_ error: ToolError, in statement: String) -> String {
        guard let offset = session.connection.failedOffset else { return error.text }
        return ErrorLocation(offset: offset, in: statement).pointer(in: statement) + error.text
    }

    func requireEnd() throws { try session.requireEnd() }

    // MARK: - Commands

    var commands: [PromptCommand] {
        [
            PromptCommand(name: ".tables", help: "tables and views") { [self] _ in
                try run(
                    "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'"
                        + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
            },
            PromptCommand(name: ".indexes", help: "indexes and their tables") { [self] _ in
                try run("SELECT name, tbl_name AS \"table\" FROM sqlite_schema WHERE type = 'index' ORDER BY name")
            },
            PromptCommand(name: ".schema", arguments: "[TABLE]", help: "the SQL that made the tables") { [self] in
                try showSchema(of: $0)
            },
            PromptCommand(name: ".dump", arguments: "[TABLE]", help: "SQL that makes the content again, in clear") {
                [self] in try SQLDump(session.connection, only: $0).write()
            },
            PromptCommand(
                name: ".import", arguments: "[--skip N] FILE TABLE", help: "insert rows of comma-separated values"
            ) { [self] in try CSVImport(AttachedDatabases.words($0[...]), besides: session.path).run(session.connection)
            },
            PromptCommand(name: ".explain", arguments: "SQL", help: "how SQLite runs a statement") { [self] in
                guard !$0.isEmpty else { throw ToolError.usage(".explain takes a statement") }
                try run("EXPLAIN QUERY PLAN " + $0)
            },
            PromptCommand(name: ".attach", arguments: "NAME FILE", help: "unlock and attach another database") {
                [self] in
                let isDone = try session.attached.attach(words: AttachedDatabases.words($0[...]))
                if !isDone { Console.note(AttachedDatabases.usage) }
            },
        ]
    }

    private func showSchema(of table: String) throws {
        let statements = try session.connection.texts(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND (?1 = '' OR tbl_name = ?1 COLLATE NOCASE)"
                + " ORDER BY rowid", bind: [.text(table)])
        guard !statements.isEmpty || table.isEmpty else { throw ToolError.noTable(table) }
        for sql in statements { Console.print(sql + ";") }
    }

    // MARK: - Scripts

    /// Runs a line if it is a command of the prompt, such as `.tables`.
    ///
    /// - Returns: false for a line that doesn't begin with a dot.
    func obey(_ line: String) throws -> Bool {
        guard line.hasPrefix(".") else { return false }
        let words = line.trimmed.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        let all =
            commands + [modeCommand, PromptCommand(name: ".help", help: "this list") { [self] _ in listCommands() }]
        guard let command = all.first(where: { $0.name == words.first }) else {
            let names = all.map(\.name)
            let near = CommandNames.nearest(words.first ?? "", in: names)
            throw ToolError.usage(
                "there is no command \"\(words.first ?? "")\"",
                hint: near.map { "did you mean \($0)?" } ?? "the commands are \(names.joined(separator: ", "))")
        }
        try command.run(words.count > 1 ? String(words[1].trimmed) : "")
        return true
    }

    /// Lists the commands that a script may contain.
    private func listCommands() {
        let rows = (commands + [modeCommand]).map { ("\($0.name) \($0.arguments)", $0.help) } + [(".help", "this list")]
        let width = rows.map(\.0.count).max() ?? 0
        for (name, help) in rows { Console.print("\(name.padded(to: width))  \(help)") }
    }

    /// Runs the statements and commands from standard input until the first failure.
    func runScript() throws {
        func naming(_ line: Int, _ body: () throws -> Void) throws {
            do { try body() } catch let error as ToolError { throw error.atLine(line) }
        }
        try Script.run(
            isComplete: RawConnection.isComplete,
            obey: { line, number in try naming(number) { _ = try self.obey(line) } },
            { sql, line in try naming(line) { try run(sql) } })
        try requireEnd()
    }

    // MARK: - Completion

    private static let keywords = RawConnection.keywords

    func completion(of text: String) -> Completion? {
        let word = String(text.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed())
        // Text within quotes isn't completed.
        guard !word.isEmpty, text.count(where: { $0 == "'" }).isMultiple(of: 2) else { return nil }
        return Completion(
            typed: word,
            candidates: Self.keywords.completing(word) + names.filter { $0.hasPrefix(word) }.map(Self.written))
    }

    /// The names of the tables and of their columns; empty if they can't be read.
    private var names: [String] {
        let sql =
            "SELECT name FROM pragma_table_list WHERE type <> 'shadow' UNION SELECT c.name FROM pragma_table_list AS t,"
            + " pragma_table_info(t.name, t.schema) AS c WHERE t.type <> 'shadow' LIMIT 10000"
        return (try? session.connection.texts(sql)) ?? []
    }

    /// Returns a name in its SQL form: quoted if necessary.
    private static func written(_ name: String) -> String {
        let isWord =
            name.first?.isNumber == false
            && name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isWord && !keywords.contains(name.uppercased()) ? name : name.quoted("\"")
    }
}

extension [String] {
    /// Returns the words of this array (in upper case) that begin with `word`, ignoring case. The results are in the
    /// letter case of `word`.
    func completing(_ word: String) -> [String] {
        let isLowercase = word.contains(where: \.isLowercase)
        let start = word.uppercased()
        return filter { $0.hasPrefix(start) }.map { isLowercase ? $0.lowercased() : $0 }
    }
}
