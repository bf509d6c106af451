internal import GRDB
internal import SealiteJSON

// The catalogue of a collection's indexes. Higher layers create indexes over expressions of a query language with these
// methods.
extension Collection {
    /// Creates an index and builds it, in one transaction, which blocks writers but not readers. An index with the same
    /// name and definition is left unchanged, unless it has to be rebuilt; an index with the same name and another
    /// definition is replaced.
    ///
    /// - Parameters:
    ///   - name: the index's name, unique in the collection.
    ///   - definition: the keys and the condition.
    ///   - components: the parts of the program, besides SQL functions, on which the keys depend, in addition to the
    ///     definition's own ones.
    ///   - progress: called on the writer's thread, first before any document is read, then after each 50,000
    ///     documents, or 1,000 for a full-text index, which is then completed in further steps; an error that it throws
    ///     cancels the creation.
    /// - Throws: `badName` for an empty name, `databaseTooNew` if this program can't maintain the index to replace,
    ///   `unexpected` if an expression fails or yields a value that isn't a key, the errors of `progress`, and errors
    ///   of the storage; then nothing is changed.
    package func createIndex(
        _ name: String, _ definition: some IndexDefinition, components: Set<IndexComponent> = [],
        progress: (IndexProgress) throws -> Void = { _ in }
    ) throws {
        guard !name.isEmpty else { throw DatabaseError(.badName, "the name of an index is empty") }
        let stored = try definition.stored()
        try database.writer.perform(database) { transaction in
            try transaction.savepoint {
                let connection = transaction.connection
                _ = try self.lastRow(connection)
                if let existing = try self.record(name, connection) {
                    if existing.kind == definition.kind, existing.definition == stored, existing.isCurrent { return }
                    try self.remove(existing, connection)
                }
                try connection.run(
                    "INSERT INTO indexes (collection, name, kind, definition, versions) VALUES (?1, ?2, ?3, ?4, ?5)",
                    self.number, name, definition.kind.rawValue, stored,
                    IndexComponents.stored(components.union(definition.ownComponents)))
                let table = definition.form.table(number: connection.lastInsertedRowID, collection: self.number)
                try IndexTables(connection: connection, collection: self.number).build(table) {
                    transaction.control?.set(
                        done: Int(clamping: $0.documentCount), of: Int(clamping: $0.totalDocumentCount))
                    try transaction.requireAlive()
                    try progress($0)
                }
                try transaction.reloadObservers(of: self)
            }
        }
    }

    /// Deletes an index; does nothing if no index has that name.
    ///
    /// - Throws: `databaseTooNew` for an index that this program can't maintain.
    package func deleteIndex(_ name: String) throws {
        try database.writer.perform(database) { transaction in
            try transaction.savepoint {
                guard let record = try self.record(name, transaction.connection) else { return }
                try self.remove(record, transaction.connection)
                try transaction.reloadObservers(of: self)
            }
        }
    }

    /// Sets the expiration of each document that has a date at the path of an index with an expiration
    /// (`expireAfterSeconds`), to the time that a write of the document would set. Other documents keep their
    /// expirations.
    package func setExpirationsByIndexes() throws {
        try database.writer.perform(database) { transaction in
            let guards = try IndexRecord.all(of: self.number, in: transaction.connection).compactMap { record in
                record.keyTable().flatMap { PathGuard(record, $0) }
            }
            // All are read before the first is set, because a running statement may meet a changed row again.
            var expirations: [(id: String, time: Int64)] = []
            let statement = try PreparedStatement(
                transaction.connection, "SELECT id, body, expires FROM \(self.sql.table) WHERE number > 0")
            while try statement.step() {
                let time = guards.expiration(of: statement.bytes(at: 1))
                if let time, time != statement.optionalInt64(at: 2) {
                    expirations.append((statement.text(at: 0), time))
                }
            }
            for (id, time) in expirations { _ = try transaction.setExpiration(id, time, in: self) }
        }
    }

    /// Returns the records of the collection's indexes in the catalogue of indexes, sorted by the numbers of the
    /// indexes.
    package func indexRecords() throws -> [IndexRecord] {
        try database.reading { try IndexRecord.all(of: self.number, in: $0) }
    }

    /// Deletes all indexes of the collection: their tables and their rows in the catalogue of indexes.
    ///
    /// - Throws: `databaseTooNew` for an index whose tables this program doesn't know.
    func removeIndexes(_ connection: GRDB.Database) throws {
        for record in try IndexRecord.all(of: number, in: connection) { try remove(record, connection) }
    }

    private func record(_ name: String, _ connection: GRDB.Database) throws -> IndexRecord? {
        try IndexRecord.all(of: number, in: connection).first { ExactText.areSame($0.name, name) }
    }

    private func remove(_ record: IndexRecord, _ connection: GRDB.Database) throws {
        guard let table = record.table() else { throw record.refusal(self) }
        let builder = IndexTables(connection: connection, collection: number)
        try builder.drop(table)
        try connection.run("DELETE FROM indexes WHERE number = ?1", record.number)
        if try !connection.hasRow("SELECT 1 FROM indexes WHERE collection = ?1", number) { try builder.dropGuards() }
    }
}

extension Database {
    /// Returns the records of a collection's indexes in the catalogue of indexes, sorted by the numbers of the indexes.
    package func indexRecords(ofCollection number: Int) throws -> [IndexRecord] {
        try reading { try IndexRecord.all(of: number, in: $0) }
    }
}

/// The progress of building an index.
package struct IndexProgress: Sendable, Equatable {
    /// The number of documents that have been read for the index.
    package let documentCount: UInt64
    /// The number of all documents of the collection, not counting deleted documents.
    package let totalDocumentCount: UInt64
}
