import SealiteFile
import SealiteJSON

/// The prompt of `sealite sql`.
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
        return ErrorPlace(offset: offset, in: statement).pointer(in: statement) + error.text
    }

    func requireEnd() throws { try session.requireEnd() }

    // MARK: - Commands

    var commands: [PromptCommand] {
        [
            PromptCommand(name: ".tables", help: "tables and views") { [self] _ in
                try run(
                    "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'"
                        + " AND name NOT LIKE 'sqlite_%' ORDER BY name")
            },
            PromptCommand(name: ".indexes", help: "indexes and their tables") { [self] _ in
                try run("SELECT name, tbl_name AS \"table\" FROM sqlite_schema WHERE type = 'index' ORDER BY name")
            },
            PromptCommand(name: ".schema", help: "the SQL that made the tables") { [self] _ in try showSchema() },
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

    private func showSchema() throws {
        try session.connection.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid") {
            (row) throws(SealedFileError) in
            Console.print((row.text(0) ?? "") + ";")
        }
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
        var names: [String] = []
        let sql =
            "SELECT name FROM pragma_table_list WHERE type <> 'shadow' UNION SELECT c.name FROM pragma_table_list AS t,"
            + " pragma_table_info(t.name, t.schema) AS c WHERE t.type <> 'shadow' LIMIT 10000"
        try? session.connection.query(sql) { (row) throws(SealedFileError) in
            if let name = row.text(0) { names.append(name) }
        }
        return names
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
    /// Returns the words in upper case that begin with a word, in the letter case of that word.
    func completing(_ word: String) -> [String] {
        let isLowercase = word.contains(where: \.isLowercase)
        let start = word.uppercased()
        return filter { $0.hasPrefix(start) }.map { isLowercase ? $0.lowercased() : $0 }
    }
}
