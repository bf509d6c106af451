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
