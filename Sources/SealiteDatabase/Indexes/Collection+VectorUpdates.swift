internal import GRDB
internal import SealiteFunctions

/// A document whose vector in a lazy index an application is to compute.
package struct VectorUpdateItem: Sendable {
    /// The document's number.
    package let document: Int64
    /// The document's sequence when it was read.
    package let sequence: Int64
}

/// The numbers of vectors that a vector index has in its lists, and of those that it hasn't.
package struct VectorIndexState: Sendable, Equatable {
    /// The number of vectors that a search finds by the lists; 0 before the training.
    package let listed: Int
    /// The number of vectors that aren't in the lists yet, with which a search compares one by one.
    package let waiting: Int
    /// The number of documents for which an application has to compute vectors; nil if the index isn't lazy.
    package let lacking: Int?
}

// Documentation/DocumentFormat.md §3.9: a lazy index has the vectors that an application has computed, each with the sequence
// of the document that it was computed from. The row of the document 0 has the sequence up to which all documents are done.
extension Collection {
    /// Reads documents with a value for which a lazy index has no vector yet, or that of an earlier state, in the order
    /// of their sequences, of those above `sequence`. `read` gets each document, and a row whose column 2 has the
    /// value, a query value.
    ///
    /// - Throws: `invalidParameter` if there is no such lazy index, the errors of `read`, and errors of the storage.
    package func readVectorUpdates<Found>(
        ofIndex name: String, limit: Int, after sequence: Int64,
        _ read: (VectorUpdateItem, borrowing PreparedStatement) throws -> Found
    ) throws -> [Found] {
        try database.reading { connection in
            try self.pending(try self.lazyTable(name, connection), limit, after: sequence, connection) { row in
                try read(VectorUpdateItem(document: row.int64(at: 0), sequence: row.int64(at: 1)), row)
            }
        }
    }

    private func pending<Found>(
        _ table: VectorTable, _ limit: Int, after sequence: Int64 = 0, _ connection: GRDB.Database,
        _ read: (borrowing PreparedStatement) throws -> Found
    ) throws -> [Found] {
        try connection.rows(
            """
            SELECT d.number, d.sequence, (\(table.plan.source)) AS value
            FROM \(table.documents) AS d LEFT JOIN \(table.tables.values) AS v ON v.document = d.number
            WHERE d.number > 0 AND d.sequence > ?2
                AND d.sequence > ifnull((SELECT p.sequence FROM \(table.tables.values) AS p WHERE p.document = 0), 0)
                AND (v.document IS NULL OR v.sequence < d.sequence)
                AND ifnull((\(table.plan.source)), x'00') <> x'00'
            ORDER BY d.sequence LIMIT ?1
            """, limit, sequence, read: read)
    }

    /// Returns how many documents are in the lists of a vector index, and how many aren't; nil if the collection has no
    /// such index that can be used.
    package func vectorIndexState(_ name: String) throws -> VectorIndexState? {
        try database.reading { connection in
            guard let table = try self.vectorTable(name, connection) else { return nil }
            let tables = table.tables
            let newest = try connection.first(
                """
                SELECT generation, through, entries FROM \(tables.newestGenerations) WHERE whole = 1
                ORDER BY generation DESC LIMIT 1
                """
            ) { (generation: $0.int64(at: 0), through: $0.int64(at: 1), entries: $0.int64(at: 2)) }
            let (generation, through, entries) = newest ?? (-1, 0, 0)
            let changed = "SELECT document FROM \(tables.changes) WHERE generation = \(generation)"
            let stale = try connection.integer(
                "SELECT count(*) FROM \(tables.places) WHERE generation = \(generation) AND document IN (\(changed))")
            let waiting = table.plan.vectors { "\($0) > 0 AND (\($0) > \(through) OR \($0) IN (\(changed)))" }
            return VectorIndexState(
                listed: Int(clamping: max(max(entries, 0) - stale, 0)),
                waiting: Int(clamping: try connection.integer("SELECT count(vector) FROM (\(waiting))")),
                lacking: table.definition.lazy ? try self.pending(table, .max, connection) { _ in }.count : nil)
        }
    }

    /// Stores vectors that were computed for documents of a lazy index. A document that has changed since it was read, or was
    /// deleted, is left out.
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - vectors: the documents with their vectors, in float32, little-endian; nil for documents that get none.
    /// - Throws: `invalidParameter` if there is no such lazy index, and errors of the storage; then nothing is stored.
    package func storeVectors(ofIndex name: String, _ vectors: [(item: VectorUpdateItem, vector: [UInt8]?)]) throws {
        try database.writer.perform(database) { transaction in
            try transaction.savepoint {
                let connection = transaction.connection
                let table = try self.lazyTable(name, connection)
                for (item, vector) in vectors {
                    assert(vector.map { $0.count == table.definition.dimensions * 4 } ?? true)
                    let isUnchanged = try connection.hasRow(
                        "SELECT 1 FROM \(table.documents) WHERE number = ?1 AND sequence = ?2", item.document,
                        item.sequence)
                    guard isUnchanged else { continue }
                    try connection.run(
                        "INSERT OR REPLACE INTO \(table.tables.values) VALUES (?1, ?2, ?3)", item.document,
                        item.sequence, vector)
                    try connection.run(
                        """
                        INSERT OR IGNORE INTO \(table.tables.changes)
                        SELECT generation, ?1 FROM \(table.tables.generations) WHERE through >= ?1
                        """, item.document)
                }
                try self.noteDone(table, connection)
            }
        }
    }

    /// Notes the sequence up to which all documents are done, so that they aren't looked at again.
    private func noteDone(_ table: VectorTable, _ connection: GRDB.Database) throws {
        let next = try pending(table, 1, connection) { $0.int64(at: 1) }.first
        let last = try connection.integer("SELECT max(sequence) FROM \(table.documents)")
        try connection.run(
            "INSERT OR REPLACE INTO \(table.tables.values) VALUES (0, ?1, NULL)", next.map { $0 - 1 } ?? last)
    }

    private func lazyTable(_ name: String, _ connection: GRDB.Database) throws -> VectorTable {
        guard let table = try vectorTable(name, connection), table.definition.lazy else {
            throw DatabaseError(
                .invalidParameter, "the collection \"\(fullName)\" has no lazy index \"\(name)\"",
                hint: "only a vector index whose configuration has isLazy is updated by the application")
        }
        return table
    }
}
