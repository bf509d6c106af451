internal import GRDB
internal import SealiteFunctions
internal import SealiteJSON

/// The table of an index, and the SQL that creates, fills and maintains it (Documentation/DocumentFormat.md §3.4,
/// §3.5): `keys_I` with a row for each document, or `elements_I` with a row for each element of an array or, in an
/// index over paths, for each combination of values (§3.6).
struct KeyTable: IndexTable {
    /// The number of the index.
    let number: Int64
    let definition: KeyDefinition
    /// The name of the table: `keys_I` or `elements_I`, where `I` is the number of the index.
    let name: String
    /// The number of columns of an entry besides the document's number: the keys, followed by the position of an
    /// element if there is one.
    let width: Int
    /// The statement that inserts an entry. Its first parameters are the columns, its last parameter is the document's
    /// number.
    let insert: String
    /// The statement that deletes an entry, with the parameters of ``insert``.
    let delete: String
    /// The statement that selects the entries of the document with the id ?1 and the body ?2, without the document's
    /// number; entries of array elements are sorted by position. Nil if every key is that of a path into the document
    /// and there is no condition: such keys are read without SQLite.
    let select: String?
    /// The paths of all keys if `select` is nil; otherwise empty.
    let paths: [IndexedPath]
    /// The path to the value in a document from which all its entries are made; nil if entries may depend on other
    /// parts of the document.
    let container: BodyPath?
    let documents: String
    private let rows: EntryRows
    /// The names of the table's columns, in their order.
    private let columns: [String]

    init(number: Int64, collection: Int, _ definition: KeyDefinition) {
        self.number = number
        self.definition = definition
        name = Self.name(number, definition)
        documents = "documents_\(collection)"
        rows = EntryRows(definition)
        container = definition.levels?.first.map { BodyPath($0) }
        columns = definition.keys.indices.map { "key\($0 + 1)" } + ["document"] + rows.position
        width = columns.count - 1
        // In the statements, the position is the parameter before the document's number; in the table, it is the column
        // after it.
        let last = columns.count
        let parameters = Array(1...definition.keys.count) + [last] + rows.position.map { _ in last - 1 }
        assert(parameters.sorted() == Array(1...columns.count), "each column has a parameter")
        insert = "INSERT OR IGNORE INTO \(name) VALUES (\(parameters.map { "?\($0)" }.joined(separator: ", ")))"
        let equal = zip(columns, parameters).map { "\($0) = ?\($1)" }.joined(separator: " AND ")
        delete = "DELETE FROM \(name) WHERE \(equal)"
        let paths = definition.keys.compactMap { IndexedPath($0) }
        if !definition.hasPositions, paths.count == definition.keys.count, definition.condition == nil {
            (self.paths, select) = (paths, nil)
        } else {
            self.paths = []
            let values = (rows.keys + rows.position).joined(separator: ", ")
            select = "SELECT \(values) FROM (\(rows.ofBody("?2", id: "?1"))) WHERE \(rows.condition)"
        }
    }

    /// Returns the name of the table of an index.
    static func name(_ number: Int64, _ definition: KeyDefinition) -> String {
        "\(definition.kind.tablePrefix)\(number)"
    }

    // MARK: - The table and its triggers

    var table: FormatTables.Part {
        let keys = definition.keys.indices.map { "key\($0 + 1) BLOB NOT NULL, " }.joined()
        let position = rows.position.map { ", \($0) BLOB NOT NULL" }.joined()
        return FormatTables.Part(
            name: name,
            sql: """
                CREATE TABLE \(name) (\(keys)document INTEGER NOT NULL\(position),
                    PRIMARY KEY (\(columns.joined(separator: ", ")))) WITHOUT ROWID, STRICT
                """)
    }

    /// Returns the SQL expressions for the columns of an entry, separated by commas. `number` is the expression for the
    /// document's number.
    private func entry(_ number: String) -> String {
        (rows.keys + [number] + rows.position).joined(separator: ", ")
    }

    /// Returns SQL that selects the entries of the row `row` of a trigger, `NEW` or `OLD`.
    private func entries(of row: String) -> String {
        """
        SELECT \(entry("\(row).number"))
                FROM (\(rows.ofBody("\(row).body", id: "\(row).id"))) WHERE \(row).number > 0 AND \(rows.condition)
        """
    }

    private func delete(_ entries: String) -> String {
        "DELETE FROM \(name) WHERE (\(columns.joined(separator: ", "))) IN (\(entries));"
    }

    private var insertNew: String { "INSERT OR IGNORE INTO \(name) \(entries(of: "NEW"));" }

    /// The triggers that maintain the table for writers other than this program.
    var triggers: [FormatTables.Part] {
        let (old, new) = (entries(of: "OLD"), entries(of: "NEW"))
        // If a document has one entry, a comparison shows whether it changed; if it has several, the unchanged ones are
        // left out.
        let update =
            !definition.hasPositions
            ? trigger(
                "update", "UPDATE OF number, id, body", "\(delete(old))\n    \(insertNew)",
                "\n    WHEN (\(old)) IS NOT (\(new))")
            : trigger(
                "update", "UPDATE OF number, id, body", "\(delete("\(old)\n        EXCEPT \(new)"))\n    \(insertNew)")
        return [trigger("insert", "INSERT", insertNew), trigger("delete", "DELETE", delete(old)), update]
    }

    /// Returns the triggers of a collection with an index that refuse to replace the row of another live document:
    /// `INSERT OR REPLACE` removes such a row without running a trigger for it.
    static func guards(ofCollection collection: Int) -> [FormatTables.Part] {
        let documents = "documents_\(collection)"
        func part(_ suffix: String, _ event: String, _ others: String) -> FormatTables.Part {
            FormatTables.Part(
                name: "\(documents)_guard_\(suffix)",
                sql: """
                    CREATE TRIGGER \(documents)_guard_\(suffix) BEFORE \(event) ON \(documents)
                    WHEN EXISTS (SELECT 1 FROM \(documents) WHERE number > 0 AND \(others)
                        (number = NEW.number OR id = NEW.id OR sequence = NEW.sequence)) BEGIN
                        SELECT RAISE(ABORT, 'another document has this number, id or sequence: delete its row first');
                    END
                    """)
        }
        return [
            part("insert", "INSERT", ""), part("update", "UPDATE OF number, id, sequence", "number <> OLD.number AND"),
        ]
    }

    // MARK: - Filling and checking

    /// The statement that inserts the entries of the documents whose numbers are greater than ?1 and at most ?2, in the
    /// order of keys.
    var fill: String? {
        """
        INSERT INTO \(name) SELECT \(entry("number")) FROM \(rows.ofDocuments(documents))
        WHERE number > max(?1, 0) AND number <= ?2 AND \(rows.condition)
        ORDER BY \((1...columns.count).map(String.init).joined(separator: ", "))
        """
    }

    var sortedFill: SortedFill? {
        guard columns.count <= SortedEntries.columnLimit else { return nil }
        let (keys, rows) = (definition.keys.count, rows)
        let entry = (rows.keys + ["number"] + rows.position).joined(separator: ", ")
        return SortedFill(
            collect: { "index_collect(\($0), \(entry)) FILTER (WHERE \(rows.condition))" },
            rows: rows.ofDocuments(documents),
            insert: """
                INSERT INTO \(name) SELECT \(columns.indices.map { "c\($0)" }.joined(separator: ", "))
                FROM index_entries(?1)
                """, keyCount: keys, hasPosition: definition.hasPositions)
    }

    let batchDocumentCount: Int64 = 50_000
    var parts: [FormatTables.Part] { [table] }

    func remove(_ connection: GRDB.Database) throws {
        do {
            try connection.run("DROP TABLE IF EXISTS \(name)")
        } catch  where TextTable.isOfTable(error) {
            // A file that somebody else made may have a view under the name.
            try connection.run("DROP VIEW IF EXISTS \(name)")
        }
    }

    func observer() -> any RowObserver { KeyTableObserver(self) }

    func checkCost(_ connection: GRDB.Database, documentCount: Double) -> Double { 0.5 * documentCount }

    func flaw(_ connection: GRDB.Database, _ progress: (Double) throws -> Void) throws -> String? {
        let statement = try PreparedStatement(connection, comparison)
        guard try statement.step() else { return nil }
        let (missing, expected) = (statement.int64(at: 0), statement.int64(at: 1))
        let present = try connection.integer("SELECT count(*) FROM \(name)")
        // Entries are unique, so the number of correct ones follows from the number of missing ones.
        let wrong = present - (expected - missing)
        return missing == 0 && wrong == 0 ? nil : "\(missing) entries are missing and \(wrong) are wrong"
    }

    /// A statement that returns two counts: of the entries that the table lacks, and of all entries that the documents
    /// should have.
    var comparison: String {
        let entry = zip(rows.keys + ["number"] + rows.position, columns).map { "\($0) AS \($1)" }.joined(
            separator: ", ")
        let equal = columns.map { "k.\($0) = e.\($0)" }.joined(separator: " AND ")
        return """
            SELECT count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM \(name) AS k WHERE \(equal))), count(*)
            FROM (SELECT \(entry) FROM \(rows.ofDocuments(documents))
                WHERE number > 0 AND \(rows.condition)) AS e
            """
    }
}

/// Maintains the table of an index: an entry is written only if it changed.
final class KeyTableObserver: RowObserver {
    private let table: KeyTable
    private var old: DocumentEntries
    private var new: DocumentEntries
    /// The entries of `old` to delete and the entries of `new` to insert.
    private var changes = DocumentEntries.Changes()
    /// The prepared statements, kept for the transaction, because looking one up by its text costs a tenth of running
    /// it.
    private var insert: GRDB.Statement?
    private var delete: GRDB.Statement?

    init(_ table: KeyTable) {
        self.table = table
        old = DocumentEntries(width: table.width, hasPosition: table.definition.hasPositions)
        new = old
    }

    var readsOldBody: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        if hasSameContainer(change) { return false }
        try fill(&old, change.old, change.id, transaction)
        try fill(&new, change.new, change.id, transaction)
        changes.find(from: old, to: new)
        return !changes.isEmpty
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        try write(old, changes.deleted, change.number, &delete, table.delete, transaction)
        try write(new, changes.inserted, change.number, &insert, table.insert, transaction)
    }

    /// Returns whether ``KeyTable/container``, the value from which all entries are made, has the same bytes on both
    /// sides of a change.
    private func hasSameContainer(_ change: borrowing RowChange) -> Bool {
        guard let container = table.container, let before = change.old?.liveBody,
            let after = change.new?.liveBody
        else { return false }
        return container.hasSame(in: before, after)
    }

    /// Replaces `entries` by the entries of the document on one side of a change, before it or after it; there are none
    /// for a tombstone or a missing side.
    private func fill(
        _ entries: inout DocumentEntries, _ side: RowContent?, _ id: String, _ transaction: Transaction
    ) throws {
        entries.clear()
        guard let body = side?.liveBody else { return }
        guard let select = table.select else {
            assert(table.paths.count == table.width, "each column is the value at a path")
            for path in table.paths { entries.append { path.append(body, to: &$0) } }
            return
        }
        let statement = try PreparedStatement(transaction.connection, select, id, body)
        assert(statement.columnCount == table.width, "the statement selects the columns of an entry")
        try transaction.connection.limited(
            to: StepLimit.ofDocument, "computing a document's entries in the index with the table \"\(table.name)\""
        ) {
            while try statement.step() {
                for column in 0..<table.width {
                    guard let value = statement.blob(at: CInt(column)) else {
                        throw DatabaseError(
                            .unexpected,
                            "an SQL expression of the index with the table \"\(table.name)\" yields a value that is not a BLOB"
                        )
                    }
                    entries.append { $0 += value }
                }
            }
        }
    }

    private func write(
        _ entries: DocumentEntries, _ indexes: [Int], _ document: Int64, _ kept: inout GRDB.Statement?, _ sql: String,
        _ transaction: Transaction
    ) throws {
        guard !indexes.isEmpty else { return }
        if kept == nil { kept = try transaction.connection.cachedStatement(sql: sql) }
        guard let kept else { return }
        assert(indexes.allSatisfy { $0 >= 0 && $0 < entries.count }, "the entries are those of the document")
        for index in indexes {
            let statement = PreparedStatement(kept)
            for column in 0..<table.width {
                statement.bind(entries.bytes, entries.range(index, column), at: CInt(column + 1))
            }
            statement.bind(document, at: CInt(table.width + 1))
            try statement.run()
        }
    }
}

/// A path to a value in a body, whose index key is computed without SQLite, with the same bytes as the result of the
/// SQL function `body_key`.
struct IndexedPath: Sendable {
    private let path: BodyPath
    private let key: ValueKey

    /// Creates the path of a key; nil for a key that is an SQL expression.
    init?(_ key: KeyDefinition.Key) {
        guard case .path(let steps, let order) = key else { return nil }
        self.key = ValueKey(order.values)
        path = BodyPath(steps)
    }

    /// Appends the key of the value in a body, or the key that stands for a missing value; appends nothing if the value
    /// is damaged.
    func append(_ body: [UInt8], to bytes: inout [UInt8]) {
        let span = body.span
        let found = path.find(in: span)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ValueKey.maximumByteCount) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            let isWhole = key.append(found, in: span, to: &output)
            let count = unsafe output.finalize(for: buffer)
            if isWhole { unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count])) }
        }
    }
}

/// A path to a value in the JSONB body of a document, evaluated without SQLite.
struct BodyPath: Sendable {
    private enum Step {
        case member([UInt8])
        case item(Int)
    }

    private let steps: [Step]

    init(_ steps: [KeyDefinition.PathStep]) {
        self.steps = steps.map { step in
            switch step {
            case .member(let name): .member(Array(name.utf8))
            case .item(let index): .item(index)
            }
        }
    }

    /// Returns the value at the end of the path; nil if there is none.
    func find(in body: borrowing Span<UInt8>) -> JSONBElement? {
        var found = JSONBElement(root: body)
        for step in steps {
            guard let container = found else { break }
            switch step {
            case .member(let name): found = container.member(name.span, in: body)
            case .item(let index): found = container.item(index, in: body)
            }
        }
        return found
    }

    /// Returns whether the values at the path have the same bytes in two bodies, or are missing in both.
    func hasSame(in left: [UInt8], _ right: [UInt8]) -> Bool {
        guard let first = find(in: left.span), let second = find(in: right.span) else {
            return find(in: left.span) == nil && find(in: right.span) == nil
        }
        return first.type == second.type && left[first.start..<first.end] == right[second.start..<second.end]
    }
}
