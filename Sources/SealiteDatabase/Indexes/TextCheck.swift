internal import GRDB
internal import SealiteFunctions

/// Compares the words in an FTS5 table with those of the documents, in little memory, by checksums of all words.
struct TextCheck {
    /// The version of FTS5's table format, which `text_I_config` must state.
    private static let version: Int64 = 4

    let connection: GRDB.Database
    let table: TextTable

    /// The part of the time of a check after which the documents are read; the words of the table are read then.
    private static let documentsPart = 0.5
    /// The number of documents, or of words, between two calls of the progress function.
    private static let interval = 1_000

    /// The time for a word, in units of the time that the check of a document's row takes.
    private static let wordCost = 0.14

    /// Returns the time that ``flaw(_:)`` takes for a collection with `documentCount` documents, in units of the time that
    /// the check of a document's row takes. FTS5 keeps the number of words (<https://sqlite.org/fts5.html>, "averages
    /// record"): it follows the number of rows, as a varint for each column.
    func cost(documentCount: Double) -> Double {
        // A table that is damaged is found by the check itself.
        guard let record = try? averages() else { return documentCount }
        var numbers: [Double] = [0]
        for byte in record {
            numbers[numbers.count - 1] = numbers[numbers.count - 1] * 128 + Double(byte & 0x7F)
            if byte & 0x80 == 0 { numbers.append(0) }
        }
        let wordCount = numbers.dropFirst().reduce(0, +)
        // A record that isn't sound says nothing.
        guard wordCount.isFinite, wordCount < 1e12 else { return documentCount }
        return max(wordCount * Self.wordCost, 0.1 * documentCount)
    }

    private func averages() throws -> [UInt8]? {
        try connection.first("SELECT block FROM \(table.name)_data WHERE id = 1") { $0.blob(at: 0) }
    }

    /// Returns a description of the first flaw of the FTS5 table, without quoting words; nil if there is none.
    /// `progress` is called with the part of the work that is done.
    func flaw(_ progress: (Double) throws -> Void) throws -> String? {
        guard let settings = table.definition.settings else {
            return "this program doesn't know the settings of its tokenizer"
        }
        var expected = TextSums(settings)
        let total = Double(
            try connection.integer("SELECT count(*) FROM \(table.documents) WHERE number > 0"))
        let documents = try PreparedStatement(connection, table.selectAll)
        var count = 0
        while try documents.step() {
            count += 1
            if count.isMultiple(of: Self.interval) { try progress(Self.documentsPart * min(1, Double(count) / total)) }
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
            let wordCount = Double(max(1, expected.words.count))
            let words = try indexedWords { count in
                let part = min(1, Double(count) / wordCount)
                try progress(Self.documentsPart + (1 - Self.documentsPart) * part)
            }
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
    /// lists. `progress` is called with the number of words that were read.
    private func indexedWords(_ progress: (Int) throws -> Void) throws -> TextSums.Sum {
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
            if sum.count.isMultiple(of: Self.interval) { try progress(sum.count) }
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
