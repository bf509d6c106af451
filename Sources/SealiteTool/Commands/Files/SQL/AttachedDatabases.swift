import ArgumentParser
import SealiteFile

/// The sealed databases that a session has attached besides its own. Their keys stay unlocked during the session.
final class AttachedDatabases {
    private let connection: RawConnection
    private let isReadOnly: Bool
    private let protection: WriteProtection
    /// The source of the key of the session's own database.
    private let key: KeyOptions
    private var databases: [SealedDatabase] = []

    static let usage =
        "usage: .attach NAME FILE [--key-file FILE | --passphrase-file FILE | --recovery-key-file FILE]\n"
        + "The options name files; never write a key on this line. Without an option, the key comes from the same source as that of the session's database.\n"

    init(_ connection: RawConnection, readOnly: Bool, protection: WriteProtection, key: KeyOptions) {
        self.connection = connection
        isReadOnly = readOnly
        self.protection = protection
        self.key = key
    }

    func attach(_ target: NamedPath, _ key: KeyOptions) throws {
        let database = try key.unlock(target.path)
        try protection.check(database, as: target.name)
        // Path and name are bound as parameters, since another person may have chosen them: the text of the statement
        // contains neither.
        try connection.query(
            "ATTACH ?1 AS ?2",
            bind: [.text(isReadOnly ? database.readOnlyURI : database.uri), .text(target.name)])
        databases.append(database)
    }

    /// Runs the prompt's command `.attach` with its arguments: a name, a file, and options that name a key.
    ///
    /// - Returns: false if the arguments are invalid.
    func attach(words: [String]) throws -> Bool {
        guard words.count >= 2, !words[0].hasPrefix("-"), !words[1].hasPrefix("-") else { return false }
        // The parser's own message would repeat the arguments, which may contain a key.
        guard let given = try? KeyOptions.parse(Array(words.dropFirst(2))) else { return false }
        try attach(NamedPath(name: words[0], path: words[1]), key.forAttached(given))
        return true
    }

    /// Returns the words of a line; spaces within quotes belong to a word.
    static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var (word, quote, isOpen) = ("", nil as Character?, false)
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                (quote, isOpen) = (character, true)
            } else if quote == nil, character.isWhitespace {
                if isOpen { words.append(word) }
                (word, isOpen) = ("", false)
            } else {
                word.append(character)
                isOpen = true
            }
        }
        return isOpen ? words + [word] : words
    }
}

/// The databases of a session that are write-protected, with the reasons.
final class WriteProtection {
    private let isReadOnly: Bool
    private let isRaw: Bool
    private var protected: [(name: String, path: String, kind: DatabaseKind)] = []

    /// Creates a protection. `readOnly` applies to all databases; without it, `raw` allows SQL to write to databases
    /// that are not intended for changes by SQL.
    init(readOnly: Bool, raw: Bool) {
        isReadOnly = readOnly
        isRaw = raw
    }

    /// Write-protects a database of documents or credentials, before it is opened under a name, unless `--read-only` or
    /// `--raw` is given.
    ///
    /// - Returns: the kind of the database if it is write-protected; otherwise nil.
    @discardableResult
    func check(_ database: SealedDatabase, as name: String) throws(SealedFileError) -> DatabaseKind? {
        guard !isReadOnly, !isRaw else { return nil }
        let kind = try DatabaseKind(of: database)
        guard kind.way != nil else { return nil }
        try GuardedFiles.add(database.path)
        protected.append((name, database.path, kind))
        return kind
    }

    /// Returns the error of a statement for the command line. If the statement tried to write to a protected database,
    /// the error names the reason for the protection.
    func explained(_ error: SealedFileError) -> ToolError {
        let plain = ToolError(error)
        guard error.code == .permission, error.reason.contains("readonly database") else { return plain }
        if isReadOnly {
            return ToolError(
                .failed, code: "read-only", "the statement writes, and --read-only was given",
                hint: "remove --read-only")
        }
        guard !protected.isEmpty else { return plain }
        let what = protected.map { "\"\($0.path)\" is \($0.kind.name)" }.joined(separator: ", ")
        let ways = Set(protected.compactMap(\.kind.way)).sorted().joined(separator: "; ")
        return ToolError(
            .failed, code: "read-only", "the statement writes, and \(what), which 'sealite sql' opens for reading only",
            hint: "\(ways); --raw lets SQL write without these protections")
    }
}
