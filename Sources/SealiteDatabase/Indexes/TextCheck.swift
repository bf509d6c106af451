internal import GRDB
internal import SealiteFunctions

/// Compares the words in an FTS5 table with those of the documents, in little memory, by checksums of all words.
struct TextCheck {
    /// The version of FTS5's table format, which `text_I_config` must state.
    private static let version: Int64 = 4

    private let connection: GRDB.Database
    private let table: TextTable

    init(_ connection: GRDB.Database, _ table: TextTable) {
        self.connection = connection
        self.table = table
    }

    /// Returns a description of the first flaw of the FTS5 table, without quoting words; nil if there is none.
    func flaw() throws -> String? {
        guard let settings = table.definition.settings else {
            return "this program doesn't know the settings of its tokenizer"
        }
        var expected = TextSums(settings)
        let documents = try PreparedStatement(connection, table.selectAll)
        while try documents.step() {
            let number = documents.int64(at: 0)
            for column in table.definition.texts.indices {
                documents.withBytes(at: CInt(column + 1)) { expected.add($0, of: number, column) }
            }
            expected.endDocument(number)
        }
        do {
            let version = try connection.integer(
                "SELECT ifnull(max(v), 0) FROM \(table.name)_config WHERE k = 'version'")
            guard version == Self.version else { return "its tables are damaged" }
            let words = try indexedWords()
            guard words == expected.words else { return "its words aren't those of the documents" }
            guard try indexedSizes() == expected.sizes else {
                return "its counts of words aren't those of the documents"
            }
        } catch  where TextTable.isOfTable(error) {
            return "its tables are damaged"
        }
        return nil
    }

    /// Returns the checksum of the words of the table, which a temporary FTS5 vocabulary table of this connection
    /// lists.
    private func indexedWords() throws -> TextSums.Sum {
        let name = "words_of_\(table.name)"
        let isReadOnly = try connection.integer("PRAGMA query_only")
        try connection.run("PRAGMA query_only = 0")
        try connection.run("CREATE VIRTUAL TABLE temp.\(name) USING fts5vocab(main, \(table.name), instance)")
        defer {
            try? connection.run("DROP TABLE IF EXISTS temp.\(name)")
            try? connection.run("PRAGMA query_only = \(isReadOnly)")
        }
        var sum = TextSums.Sum()
        let statement = try PreparedStatement(
            once: "SELECT term, doc, CAST(substr(col, 5) AS INTEGER) - 1, offset FROM temp.\(name)", connection)
        while try statement.step() {
            let (document, column) = (statement.int64(at: 1), Int(statement.int64(at: 2)))
            let place = Int(statement.int64(at: 3))
            statement.withBytes(at: 0) { sum.add($0, document, column, place) }
        }
        return sum
    }

    private func indexedSizes() throws -> TextSums.Sum {
        var sum = TextSums.Sum()
        let statement = try PreparedStatement(connection, "SELECT id, sz FROM \(table.name)_docsize")
        while try statement.step() {
            let number = statement.int64(at: 0)
            statement.withBytes(at: 1) { sum.add($0, number, 0, 0) }
        }
        return sum
    }
}
