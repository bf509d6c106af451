internal import GRDB
internal import SealiteFunctions
internal import SealiteVectors

/// The tables of a vector index, and the SQL that creates and maintains them (Documentation/DocumentFormat.md §3.9).
///
/// Nothing is entered when the index is created or a document is saved: ``VectorUpkeep`` does that later.
struct VectorTable: IndexTable {
    let plan: VectorPlan
    let definition: VectorDefinition
    var tables: VectorTables { plan.tables }
    var name: String { tables.chunks }
    var documents: String { plan.documents }

    init(number: Int64, collection: Int, _ definition: VectorDefinition) {
        plan = definition.plan(index: number, collection: collection)
        self.definition = definition
    }

    // MARK: - The tables and the triggers

    var parts: [FormatTables.Part] {
        let common = [
            (tables.chunks, "chunk INTEGER PRIMARY KEY, count INTEGER NOT NULL, entries BLOB NOT NULL) STRICT"),
            (tables.lists, "list INTEGER PRIMARY KEY, centroid BLOB NOT NULL) STRICT"),
            (
                tables.places,
                """
                generation INTEGER NOT NULL, document INTEGER NOT NULL, chunk INTEGER NOT NULL,
                    PRIMARY KEY (generation, document)) WITHOUT ROWID, STRICT
                """
            ),
            (
                tables.changes,
                """
                generation INTEGER NOT NULL, document INTEGER NOT NULL,
                    PRIMARY KEY (generation, document)) WITHOUT ROWID, STRICT
                """
            ),
            (
                tables.generations,
                """
                generation INTEGER PRIMARY KEY, token BLOB NOT NULL, through INTEGER NOT NULL,
                    entries INTEGER NOT NULL, trained INTEGER NOT NULL, whole INTEGER NOT NULL, ranges BLOB NOT NULL) STRICT
                """
            ),
        ]
        let values = [
            (tables.values, "document INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, vector BLOB) STRICT")
        ]
        return (common + (definition.lazy ? values : [])).map { name, columns in
            FormatTables.Part(name: name, sql: "CREATE TABLE \(name) (\(columns)")
        }
    }

    func remove(_ connection: GRDB.Database) throws {
        for part in parts.reversed() {
            do {
                try connection.run("DROP TABLE IF EXISTS \(part.name)")
            } catch  where TextTable.isOfTable(error) {
                // A file that somebody else made may have a view under the name.
                try connection.run("DROP VIEW IF EXISTS \(part.name)")
            }
        }
    }

    var triggers: [FormatTables.Part] {
        func note(_ number: String) -> String {
            """
            INSERT OR IGNORE INTO \(tables.changes) SELECT generation, abs(\(number)) FROM \(tables.generations)
                    WHERE through >= abs(\(number));
            """
        }
        let forget = definition.lazy ? "\n    DELETE FROM \(tables.values) WHERE document = OLD.number;" : ""
        let lost = definition.lazy ? "\(forget.dropLast()) AND NEW.number <> OLD.number;" : ""
        return [
            trigger("insert", "INSERT", note("NEW.number")),
            trigger("delete", "DELETE", note("OLD.number") + forget),
            trigger("update", "UPDATE OF number, id, body", "\(note("OLD.number"))\n    \(note("NEW.number"))\(lost)"),
        ]
    }

    // MARK: - Filling and checking

    /// Nothing is entered when the index is created.
    var fill: String? { nil }
    let batchDocumentCount: Int64 = 1

    func observer() -> any RowObserver { VectorTableObserver(self) }

    func checkCost(_ connection: GRDB.Database, documentCount: Double) -> Double { 4 * documentCount }

    func flaw(_ connection: GRDB.Database, _ progress: (Double) throws -> Void) throws -> String? {
        try VectorCheck(connection: connection, table: self).flaw(progress)
    }
}

/// Notes the documents whose vectors changed, for ``VectorUpkeep``.
final class VectorTableObserver: RowObserver {
    private let table: VectorTable
    /// The generations with the numbers through which documents were entered; nil if they weren't read yet.
    private var generations: [(number: Int64, through: Int64)]?

    init(_ table: VectorTable) { self.table = table }

    var readsOldBody: Bool { !table.definition.lazy }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        let connection = transaction.connection
        if generations == nil {
            // Of more generations the index is damaged, and nobody reads it.
            generations = try connection.rows(
                "SELECT generation, through FROM \(table.tables.newestGenerations)"
            ) { ($0.int64(at: 0), $0.int64(at: 1)) }
        }
        if table.definition.lazy { return change.new?.liveBody == nil }
        guard let generations, generations.contains(where: { $0.through >= change.number }) else { return false }
        guard let old = change.old?.liveBody, let new = change.new?.liveBody else {
            return change.old?.liveBody != nil || change.new?.liveBody != nil
        }
        return try vector(old, change.id, connection) != vector(new, change.id, connection)
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        let connection = transaction.connection
        for generation in generations ?? [] where generation.through >= change.number {
            try connection.run(
                "INSERT OR IGNORE INTO \(table.tables.changes) VALUES (?1, ?2)", generation.number, change.number)
        }
        if table.definition.lazy {
            try connection.run("DELETE FROM \(table.tables.values) WHERE document = ?1", change.number)
        }
    }

    /// The vector of a document with this body; nil if it has none.
    private func vector(_ body: [UInt8], _ id: String, _ connection: GRDB.Database) throws -> [UInt8]? {
        let statement = try PreparedStatement(
            connection, "SELECT \(table.plan.vector) FROM (SELECT ?1 AS id, ?2 AS body)", id, body)
        let isRead = try connection.limited(
            to: StepLimit.ofDocument, "computing a document's vector in the index with the table \"\(table.name)\""
        ) { try statement.step() }
        return isRead ? statement.blob(at: 0) : nil
    }
}
