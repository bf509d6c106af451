internal import GRDB

/// Creates, fills and removes the tables of indexes in the current write transaction.
struct IndexBuilder {
    private let connection: GRDB.Database
    private let collection: Int

    init(_ connection: GRDB.Database, collection: Int) {
        self.connection = connection
        self.collection = collection
    }

    /// Recreates the tables and triggers of an index, and fills the tables from the documents of the collection.
    ///
    /// - Throws: the errors of `progress`, and errors of the storage; the caller's savepoint or transaction reverts the
    ///   changes.
    func build(_ table: any IndexTable, _ progress: (IndexProgress) throws -> Void) throws {
        try drop(table)
        for part in table.parts { try connection.run(part.sql) }
        for statement in table.beginFilling { try connection.run(statement) }
        let filled = try fill(table, progress)
        try table.endFilling(connection) { try progress(filled) }
        for trigger in table.triggers { try connection.run(trigger.sql) }
        for guardian in KeyTable.guards(ofCollection: collection) where try !exists(guardian.name) {
            try connection.run(guardian.sql)
        }
    }

    /// Fills the tables of an index from the documents.
    ///
    /// - Returns: the progress when all documents were read.
    private func fill(_ table: any IndexTable, _ progress: (IndexProgress) throws -> Void) throws -> IndexProgress {
        let documents = "documents_\(collection)"
        let total = try connection.integer("SELECT count(*) FROM \(documents) WHERE number > 0")
        var (last, done): (Int64, Int64) = (0, 0)
        var current: IndexProgress {
            IndexProgress(documentCount: UInt64(done), totalDocumentCount: UInt64(max(total, done)))
        }
        try progress(current)
        while true {
            let batch = try PreparedStatement(
                connection,
                """
                SELECT max(number), count(*) FROM
                    (SELECT number FROM \(documents) WHERE number > ?1 ORDER BY number LIMIT \(table.batchDocumentCount))
                """)
            batch.bind(last, at: 1)
            guard try batch.step(), let end = batch.optionalInt64(at: 0) else { return current }
            let fill = try PreparedStatement(connection, table.fill)
            fill.bind(last, at: 1)
            fill.bind(end, at: 2)
            try fill.run()
            (last, done) = (end, done + batch.int64(at: 1))
            try progress(current)
        }
    }

    /// Removes the tables and triggers of an index, if they exist.
    func drop(_ table: any IndexTable) throws {
        for trigger in table.triggers { try connection.run("DROP TRIGGER IF EXISTS \(trigger.name)") }
        try table.remove(connection)
    }

    /// Removes the triggers that a collection has only while it has an index.
    func dropGuards() throws {
        for guardian in KeyTable.guards(ofCollection: collection) {
            try connection.run("DROP TRIGGER IF EXISTS \(guardian.name)")
        }
    }

    private func exists(_ name: String) throws -> Bool {
        let statement = try PreparedStatement(connection, "SELECT 1 FROM sqlite_schema WHERE name = ?1")
        statement.bind(name, at: 1)
        return try statement.step()
    }

    // MARK: - Opening a database

    /// Rebuilds the indexes that aren't complete, or that depend on a component in another version than the program's.
    /// An index that this program can't maintain, or whose definition fails, is left unchanged, and its collection is
    /// read-only.
    ///
    /// - Throws: the errors of `progress`, and errors of the storage that concern the disk, a lock or a cancellation.
    static func buildStale(in connection: GRDB.Database, _ progress: (IndexProgress) throws -> Void) throws {
        for record in try IndexRecord.all(in: connection) {
            guard let table = record.table(), !record.isCurrent else { continue }
            do {
                try connection.inSavepoint {
                    try IndexBuilder(connection, collection: record.collection).build(table, progress)
                    try setBuilt(record, in: connection)
                    return .commit
                }
            } catch  where [.unexpected, .corruptData].contains((DatabaseError.mapped(error) as? DatabaseError)?.code) {
                // An expression that fails, or damage, would fail again. The index is left unchanged, and the other
                // collections stay usable.
            }
        }
    }

    /// Rebuilds all indexes of the database, except those that this program can't maintain. The calling thread's
    /// ``WriteControl`` counts the documents that are read for each of them.
    static func rebuildAll(in connection: GRDB.Database) throws {
        let control = WriteControl.current
        let records = try IndexRecord.all(in: connection).filter { $0.table() != nil }
        let counts = try records.map {
            Int(try connection.integer("SELECT count(*) FROM documents_\($0.collection) WHERE number > 0"))
        }
        var done = 0
        for (record, count) in zip(records, counts) {
            guard let table = record.table() else { continue }
            try IndexBuilder(connection, collection: record.collection).build(table) { progress in
                control?.set(done: done + Int(clamping: progress.documentCount), of: counts.reduce(0, +))
            }
            try setBuilt(record, in: connection)
            done += count
        }
        try control?.requireNotStopped()
    }

    private static func setBuilt(_ record: IndexRecord, in connection: GRDB.Database) throws {
        let statement = try PreparedStatement(
            connection, "UPDATE indexes SET versions = ?2, state = 0 WHERE number = ?1")
        statement.bind(record.number, at: 1)
        statement.bind(IndexComponents.renewed(record.versions), at: 2)
        try statement.run()
    }
}
