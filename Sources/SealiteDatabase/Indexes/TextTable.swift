internal import GRDB
internal import SealiteFunctions
internal import SealiteJSON

/// The FTS5 table of a full-text index, and the SQL that creates, fills and maintains it
/// (Documentation/DocumentFormat.md §3.7).
struct TextTable: IndexTable {
    let name: String
    let definition: TextDefinition
    /// The statement that inserts a row: ?1 is the document's number, the following parameters are its texts.
    let insert: String
    /// The statement that deletes a row, with the parameters of ``insert``: the texts must be those that the row was
    /// made from.
    let delete: String
    /// The statement that selects the texts of the document with the id ?1 and the body ?2.
    let select: String
    /// A Boolean value that says whether words that differ only in accents are the same.
    let ignoresAccents: Bool
    /// The names of the FTS5 table's columns, one for each text.
    private let columns: [String]
    /// The name of the table of the collection's documents.
    let documents: String
    /// The name of the view from which FTS5 reads the texts of the indexed documents.
    let rows: String
    private let texts: [String]
    private let condition: String

    init(number: Int64, collection: Int, _ definition: TextDefinition) {
        self.definition = definition
        ignoresAccents = definition.settings?.ignoresAccents ?? false
        name = Self.name(number)
        rows = "\(IndexKind.textViewPrefix)\(number)"
        documents = "documents_\(collection)"
        columns = definition.texts.indices.map { "text\($0 + 1)" }
        texts = definition.texts.map { "query_strings((\($0.sql)))" }
        condition = definition.condition.map { "(\($0))" } ?? "TRUE"
        let list = columns.joined(separator: ", ")
        let parameters = columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        insert = "INSERT INTO \(name) (rowid, \(list)) VALUES (?1, \(parameters))"
        delete = "INSERT INTO \(name) (\(name), rowid, \(list)) VALUES ('delete', ?1, \(parameters))"
        select = "SELECT \(texts.joined(separator: ", ")) FROM (SELECT ?1 AS id, ?2 AS body) WHERE \(condition)"
    }

    /// Returns the name of the table of an index.
    static func name(_ number: Int64) -> String { "\(IndexKind.text.tablePrefix)\(number)" }

    /// The names of the columns in SQL, separated by commas.
    private var list: String { columns.joined(separator: ", ") }

    // MARK: - The tables and the triggers

    var parts: [FormatTables.Part] {
        let named = zip(texts, columns).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let tokenizer = (definition.settings ?? WordSettings()).tokenizer.quoted("'")
        return [
            FormatTables.Part(
                name: rows,
                sql: """
                    CREATE VIEW \(rows) AS SELECT number, \(named) FROM \(documents) WHERE number > 0 AND \(condition)
                    """),
            FormatTables.Part(
                name: name,
                sql: """
                    CREATE VIRTUAL TABLE \(name) USING fts5(\(list), content='\(rows)', content_rowid='number', \
                    tokenize=\(tokenizer))
                    """),
        ]
    }

    var shadowTables: [String] { ["data", "idx", "docsize", "config"].map { "\(name)_\($0)" } }

    func remove(_ connection: GRDB.Database) throws {
        do {
            try connection.inSavepoint {
                try connection.run("DROP TABLE IF EXISTS \(name)")
                return .commit
            }
        } catch  where Self.isOfTable(error) {
            // FTS5 doesn't drop a table that it can't read. Once the virtual table is removed from the schema, its
            // shadow tables are ordinary tables.
            try connection.run("PRAGMA writable_schema = ON")
            defer { try? connection.run("PRAGMA writable_schema = RESET") }
            try connection.run("DELETE FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'")
        }
        for suffix in ["data", "idx", "docsize", "config", "content"] {
            try connection.run("DROP TABLE IF EXISTS \(name)_\(suffix)")
        }
        try connection.run("DROP VIEW IF EXISTS \(rows)")
    }

    /// Returns whether an error is due to a table that is damaged or incomplete, and not to the disk or a lock.
    static func isOfTable(_ error: any Error) -> Bool {
        [.unexpected, .corruptData].contains((DatabaseError.mapped(error) as? DatabaseError)?.code)
    }

    var triggers: [FormatTables.Part] {
        let insertNew = "INSERT INTO \(name) (rowid, \(list)) SELECT NEW.number, \(entry("NEW"));"
        let deleteOld = """
            INSERT INTO \(name) (\(name), rowid, \(list)) SELECT 'delete', OLD.number, \(entry("OLD"));
            """
        // The rows of the two sides; a side has none if the document isn't in the index.
        let changed = """
            EXISTS (SELECT NEW.number, \(entry("NEW")) EXCEPT SELECT OLD.number, \(entry("OLD")))
                    OR EXISTS (SELECT OLD.number, \(entry("OLD")) EXCEPT SELECT NEW.number, \(entry("NEW")))
            """
        return [
            trigger("insert", "INSERT", insertNew), trigger("delete", "DELETE", deleteOld),
            trigger("update", "UPDATE OF number, id, body", "\(deleteOld)\n    \(insertNew)", "\n    WHEN \(changed)"),
        ]
    }

    /// Returns the texts of the row `row` of a trigger, `NEW` or `OLD`: the part of a SELECT that follows the number.
    private func entry(_ row: String) -> String {
        """
        \(texts.joined(separator: ", "))
                FROM (SELECT \(row).id AS id, \(row).body AS body) WHERE \(row).number > 0 AND \(condition)
        """
    }

    // MARK: - Filling and checking

    let batchDocumentCount: Int64 = 1_000

    /// Reads the documents and not the view: of the view's lower bound and that of a batch, SQLite seeks by the view's,
    /// so that each batch would read the documents of all batches before it.
    var fill: String? {
        """
        INSERT INTO \(name) (rowid, \(list)) SELECT number, \(texts.joined(separator: ", ")) FROM \(documents)
        WHERE number > max(?1, 0) AND number <= ?2 AND \(condition) ORDER BY number
        """
    }

    /// The SQL statements that make FTS5 postpone the merging of its segments until all rows are inserted, so that each
    /// row is merged once.
    var beginFilling: [String] {
        [("pgsz", 4_000), ("hashsize", 8 << 20), ("automerge", 0), ("crisismerge", 1_999)].map(option)
    }

    /// Merges the index into one segment, on a level of its own, so that later merges of small segments don't rewrite
    /// it, and sets the index's permanent options (Documentation/DocumentFormat.md §3.7).
    func endFilling(_ connection: GRDB.Database, _ progress: () throws -> Void) throws {
        // The negative number of pages has FTS5 merge all segments, whatever their levels. https://sqlite.org/fts5.html#the_merge_command
        let merge = option("merge", -Self.mergedPageCount)
        var before: Int
        repeat {
            try progress()
            before = connection.totalChangesCount
            try connection.run(merge)
            // A merge that had nothing left to do changes less than two rows.
        } while connection.totalChangesCount - before >= 2
        for option in [("hashsize", 1 << 20), ("automerge", 8), ("crisismerge", 64)].map(option) {
            try connection.run(option)
        }
    }

    /// The number of pages that one step of `endFilling` merges. Progress is reported between two steps, every few
    /// tenths of a second.
    private static let mergedPageCount = 2_000

    private func option(_ option: String, _ value: Int) -> String {
        "INSERT INTO \(name) (\(name), rank) VALUES ('\(option)', \(value))"
    }

    func observer() -> any RowObserver { TextTableObserver(self) }

    func checkCost(_ connection: GRDB.Database, documentCount: Double) -> Double {
        TextCheck(connection: connection, table: self).cost(documentCount: documentCount)
    }

    func flaw(_ connection: GRDB.Database, _ progress: (Double) throws -> Void) throws -> String? {
        try TextCheck(connection: connection, table: self).flaw(progress)
    }

    /// The statement that selects the numbers and the texts of all documents of the index.
    var selectAll: String { "SELECT number, \(list) FROM \(rows)" }
}

/// Maintains the FTS5 table of a full-text index: a document's row is written only if the words of its texts changed.
final class TextTableObserver: RowObserver {
    private let table: TextTable
    /// The document's texts before the change, in UTF-8, each nil if it is NULL; nil if the document wasn't in the
    /// index.
    private var old: [[UInt8]?]?
    /// The document's texts after the change, in UTF-8, each nil if it is NULL; nil if the document isn't in the index.
    private var new: [[UInt8]?]?

    init(_ table: TextTable) { self.table = table }

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        old = try texts(change.old, change.id, transaction)
        new = try texts(change.new, change.id, transaction)
        return old != new && !haveSameWords()
    }

    /// Returns whether the texts before and after the change have the same words at the same positions.
    private func haveSameWords() -> Bool {
        guard let old, let new else { return false }
        return zip(old, new).allSatisfy { old, new in
            old == new
                || TextWords(old ?? [], ignoresAccents: table.ignoresAccents).areThose(of: new ?? [])
        }
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        transaction.writtenTextCount += 1
        if let old { try write(table.delete, change.number, old, transaction) }
        if let new { try write(table.insert, change.number, new, transaction) }
        (old, new) = (nil, nil)
    }

    private func texts(
        _ side: RowContent?, _ id: String, _ transaction: Transaction
    ) throws -> [[UInt8]?]? {
        guard let body = side?.liveBody else { return nil }
        let statement = try PreparedStatement(transaction.connection, table.select, id, body)
        let isIndexed = try transaction.connection.limited(
            to: StepLimit.ofDocument, "computing a document's texts in the index with the table \"\(table.name)\""
        ) { try statement.step() }
        guard isIndexed else { return nil }
        return table.definition.texts.indices.map { statement.bytes(at: CInt($0)) }
    }

    private func write(_ sql: String, _ number: Int64, _ texts: [[UInt8]?], _ transaction: Transaction) throws {
        let statement = try PreparedStatement(transaction.connection, sql)
        statement.bind(number, at: 1)
        for (index, text) in texts.enumerated() { statement.bind(text: text, at: CInt(index + 2)) }
        try statement.run()
    }
}
