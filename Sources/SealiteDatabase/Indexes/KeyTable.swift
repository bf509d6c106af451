internal import SealiteJSON

/// The table of an index of the kind `value`, and the SQL that makes, fills and keeps it (Documentation/DocumentFormat.md §3.4).
package struct KeyTable: Sendable {
    /// The number of the index.
    let number: Int64
    let definition: KeyDefinition
    /// The name of the table.
    package let name: String
    /// Inserts an entry: ?1 and on are the keys, the last parameter the document's number.
    let insert: String
    /// Deletes an entry: parameters as those of ``insert``.
    let delete: String
    /// Selects the keys of the document of the id ?1 and the body ?2; no row where the condition isn't true. Nil where every key is that of a
    /// path and there is no condition: such keys are read without SQLite.
    let select: String?
    /// The paths, where ``select`` is nil.
    let paths: [KeyPath]
    private let documents: String

    init(number: Int64, collection: Int, _ definition: KeyDefinition) {
        self.number = number
        self.definition = definition
        name = "keys_\(number)"
        documents = "documents_\(collection)"
        let columns = Self.columns(definition)
        let parameters = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
        insert = "INSERT OR IGNORE INTO \(name) VALUES (\(parameters))"
        let equal = columns.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
        delete = "DELETE FROM \(name) WHERE \(equal)"
        let paths = definition.keys.compactMap { KeyPath($0) }
        if paths.count == definition.keys.count, definition.condition == nil {
            (self.paths, select) = (paths, nil)
        } else {
            self.paths = []
            let keys = definition.keys.map(\.sql).joined(separator: ", ")
            select = "SELECT \(keys) FROM (SELECT ?1 AS id, ?2 AS body) WHERE \(definition.conditionSQL)"
        }
    }

    private static func columns(_ definition: KeyDefinition) -> [String] {
        (1...definition.keys.count).map { "key\($0)" } + ["document"]
    }

    private var columns: [String] { Self.columns(definition) }

    // MARK: - The table and its triggers

    var table: Schema.Part {
        let columns = columns
        let keys = columns.dropLast().map { "\($0) BLOB NOT NULL, " }.joined()
        return Schema.Part(
            name: name,
            sql: """
                CREATE TABLE \(name) (\(keys)document INTEGER NOT NULL,
                    PRIMARY KEY (\(columns.joined(separator: ", ")))) WITHOUT ROWID, STRICT
                """)
    }

    /// Selects the entry of the row `row` of a trigger, `NEW` or `OLD`.
    private func entry(of row: String) -> String {
        """
        SELECT \(definition.keys.map(\.sql).joined(separator: ", ")), \(row).number
                FROM (SELECT \(row).id AS id, \(row).body AS body) WHERE \(row).number > 0 AND \(definition.conditionSQL)
        """
    }

    private var deleteOld: String {
        "DELETE FROM \(name) WHERE (\(columns.joined(separator: ", "))) IN (\(entry(of: "OLD")));"
    }

    private var insertNew: String { "INSERT OR IGNORE INTO \(name) \(entry(of: "NEW"));" }

    /// The triggers that keep the table for writers that know nothing of it.
    var triggers: [Schema.Part] {
        [
            trigger("insert", "INSERT", insertNew),
            trigger("delete", "DELETE", deleteOld),
            trigger(
                "update", "UPDATE OF number, id, body", "\(deleteOld)\n    \(insertNew)",
                when: "\n    WHEN (\(entry(of: "OLD"))) IS NOT (\(entry(of: "NEW")))"),
        ]
    }

    private func trigger(_ suffix: String, _ event: String, _ body: String, when: String = "") -> Schema.Part {
        Schema.Part(
            name: "\(name)_\(suffix)",
            sql: """
                CREATE TRIGGER \(name)_\(suffix) AFTER \(event) ON \(documents)\(when) BEGIN
                    \(body)
                END
                """)
    }

    /// The triggers of a collection with an index that refuse a row in the place of another live document: `INSERT OR REPLACE` removes that one's
    /// row without running a trigger for it.
    static func guards(ofCollection collection: Int) -> [Schema.Part] {
        let documents = "documents_\(collection)"
        func part(_ suffix: String, _ event: String, _ others: String) -> Schema.Part {
            Schema.Part(
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

    /// Fills the table with the entries of the documents whose numbers are above ?1 and not above ?2, in the order of keys.
    var fill: String {
        """
        INSERT INTO \(name) SELECT \(definition.keys.map(\.sql).joined(separator: ", ")), number FROM \(documents)
        WHERE number > max(?1, 0) AND number <= ?2 AND \(definition.conditionSQL)
        ORDER BY \((1...columns.count).map(String.init).joined(separator: ", "))
        """
    }

    /// Counts the entries that documents have and the table lacks, and the entries that the documents should have in all.
    var comparison: String {
        let keys = zip(columns, definition.keys.map(\.sql)).map { "\($1) AS \($0)" }.joined(separator: ", ")
        let equal = columns.map { "k.\($0) = e.\($0)" }.joined(separator: " AND ")
        return """
            SELECT count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM \(name) AS k WHERE \(equal))), count(*)
            FROM (SELECT \(keys), number AS document FROM \(documents)
                WHERE number > 0 AND \(definition.conditionSQL)) AS e
            """
    }
}

extension KeyDefinition {
    /// The condition in SQL.
    fileprivate var conditionSQL: String { condition.map { "(\($0))" } ?? "TRUE" }
}

extension KeyDefinition.Key {
    /// The key in SQL over the columns `id` and `body`, never NULL.
    fileprivate var sql: String {
        switch self {
        case .sql(let text): return "ifnull((\(text)), x'')"
        case .path(let steps, let order):
            let steps = steps.map { step in
                switch step {
                case .item(let index): ", \(index)"
                case .member(let name): ", \(Self.literal(name))"
                }
            }
            return "ifnull(body_key('\(order.rawValue)', body\(steps.joined())), x'')"
        }
    }

    /// A text as an SQL literal. One with a NUL, where SQL's text would end, as bytes.
    private static func literal(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text.quoted("'") }
        let digits = text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }
        return "CAST(x'\(digits.joined())' AS TEXT)"
    }
}
