internal import GRDB
internal import SealiteFunctions

/// Creates, fills and removes the tables of indexes in the current write transaction.
struct IndexTables {
    let connection: GRDB.Database
    let collection: Int
    /// The number of bytes of memory up to which entries are collected before they are inserted.
    var entryByteLimit = SortedEntries.byteLimit

    /// Recreates the tables and triggers of an index, and fills the tables from the documents of the collection. If
    /// `isLimited` is true, the index's expressions may take only so many steps as those of nearly every index do.
    ///
    /// - Throws: the errors of `progress`, and errors of the storage; the caller's savepoint or transaction reverts the
    ///   changes.
    func build(_ table: any IndexTable, isLimited: Bool = false, _ progress: (IndexProgress) throws -> Void) throws {
        try drop(table)
        for part in table.parts { try connection.run(part.sql) }
        for statement in table.beginFilling { try connection.run(statement) }
        let filled = try fill(table, isLimited: isLimited, progress)
        try table.endFilling(connection) { try progress(filled) }
        for trigger in table.triggers { try connection.run(trigger.sql) }
        for guardian in KeyTable.guards(ofCollection: collection) where try !guardian.isStored(in: connection) {
            try connection.run("DROP TRIGGER IF EXISTS \(guardian.name)")
            try connection.run(guardian.sql)
        }
    }

    /// Fills the tables of an index from the documents.
    ///
    /// - Returns: the progress when all documents were read.
    private func fill(
        _ table: any IndexTable, isLimited: Bool, _ progress: (IndexProgress) throws -> Void
    ) throws -> IndexProgress {
        if let sorted = table.sortedFill { return try fill(table, by: sorted, isLimited: isLimited, progress) }
        return try batches(of: table, sql: table.fill, isLimited: isLimited, progress) { try $0.run() }
    }

    /// Fills the table of an index in the order of keys, so that entries are appended to its b-tree: they are collected up
    /// to ``SortedEntries/byteLimit``, sorted and inserted, and so on until all documents were read.
    private func fill(
        _ table: any IndexTable, by sorted: SortedFill, isLimited: Bool, _ progress: (IndexProgress) throws -> Void
    ) throws -> IndexProgress {
        let connection = connection
        let entries = SortedEntries(
            keyCount: sorted.keyCount, hasPosition: sorted.hasPosition, byteLimit: entryByteLimit
        ) { entries in
            let insert = try PreparedStatement(connection, sorted.insert)
            insert.bind(entries, at: 1)
            try insert.run()
        }
        let sql = """
            SELECT \(sorted.collect("?3")) FROM \(sorted.rows) WHERE number > max(?1, 0) AND number <= ?2
            """
        do {
            let filled = try batches(of: table, sql: sql, isLimited: isLimited, progress) { collect in
                collect.bind(entries, at: 3)
                try collect.run()
            }
            try entries.flush()
            return filled
        } catch {
            throw entries.error ?? error
        }
    }

    /// Runs a statement for one batch of documents after the other, those whose numbers are greater than ?1 and at most ?2;
    /// none if `sql` is nil.
    ///
    /// - Returns: the progress when all documents were read.
    private func batches(
        of table: any IndexTable, sql: String?, isLimited: Bool, _ progress: (IndexProgress) throws -> Void,
        _ run: (borrowing PreparedStatement) throws -> Void
    ) throws -> IndexProgress {
        let documents = "documents_\(collection)"
        let total = try connection.integer("SELECT count(*) FROM \(documents) WHERE number > 0")
        var (last, done): (Int64, Int64) = (0, 0)
        var current: IndexProgress {
            IndexProgress(documentCount: UInt64(done), totalDocumentCount: UInt64(max(total, done)))
        }
        try progress(current)
        guard let sql else { return current }
        // The lengths of bodies are read only if they count.
        let (columns, length) = isLimited ? ("number, body", "ifnull(sum(length(body)), 0)") : ("number", "0")
        while true {
            let batch = try PreparedStatement(
                connection,
                """
                SELECT max(number), count(*), \(length) FROM
                    (SELECT \(columns) FROM \(documents) WHERE number > ?1 ORDER BY number LIMIT \(table.batchDocumentCount))
                """, last)
            guard try batch.step(), !batch.isNull(at: 0) else { return current }
            let end = try batch.documentNumber(at: 0)
            guard end > last else { throw DatabaseError.disorder("numbers", in: documents) }
            let fill = try PreparedStatement(connection, sql, last, end)
            let count = batch.int64(at: 1)
            let steps = isLimited ? StepLimit.ofDocuments(count, byteCount: batch.int64(at: 2)) : .max
            try connection.limited(to: steps, "computing the entries of the index with the table \"\(table.name)\"") {
                try run(fill)
            }
            assert(count > 0, "each batch has a document")
            (last, done) = (end, done + count)
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

    // MARK: - Opening a database

    /// Rebuilds the indexes that aren't complete, that depend on a component in another version than the program's, or
    /// whose tables, views and triggers aren't those that the program creates for their definitions. An index that
    /// this program can't maintain, or whose definition fails, is left unchanged, and its collection is read-only.
    ///
    /// - Parameters:
    ///   - connection: the connection, in a write transaction.
    ///   - objects: the SQL of the tables, views and triggers that may belong to indexes, by their names, as another
    ///     connection may have read them just before.
    ///   - progress: called while an index is built.
    /// - Throws: the errors of `progress`, and errors of the storage that concern the disk, a lock or a cancellation.
    static func buildStale(
        in connection: GRDB.Database, _ objects: [String: String], _ progress: (IndexProgress) throws -> Void
    ) throws {
        for record in try IndexRecord.all(in: connection) {
            guard let table = record.table() else { continue }
            let parts = table.parts + table.triggers + KeyTable.guards(ofCollection: record.collection)
            let altered = parts.filter { part in objects[part.name].map { SchemaTexts.areEqual($0, part.sql) } != true }
            // Another process may have created the index since the objects were read.
            let isAltered =
                try altered.contains { try !$0.isStored(in: connection) }
                || table.shadowTables.contains { name in
                    objects[name].map { !SchemaTexts.createsTable(named: name, $0) } ?? false
                }
            guard isAltered || !record.isCurrent else { continue }
            // The index must be rebuilt before it is used.
            if isAltered { try connection.run("UPDATE indexes SET state = 1 WHERE number = ?1", record.number) }
            do {
                try connection.inSavepoint {
                    try IndexTables(connection: connection, collection: record.collection)
                        .build(table, isLimited: true, progress)
                    try setBuilt(record, in: connection)
                    return .commit
                }
            } catch
                where [.unexpected, .corruptData, .notOpen].contains(
                    (DatabaseError.mapped(error) as? DatabaseError)?.code)
            {
                // An expression that fails or takes too many steps, damage, or a collection that doesn't exist, would
                // fail again. The index is left unchanged, and the other collections stay usable.
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
            try IndexTables(connection: connection, collection: record.collection).build(table) { progress in
                control?.set(done: done + Int(clamping: progress.documentCount), of: counts.reduce(0, +))
            }
            try setBuilt(record, in: connection)
            done += count
        }
        try control?.requireNotStopped()
    }

    private static func setBuilt(_ record: IndexRecord, in connection: GRDB.Database) throws {
        try connection.run(
            "UPDATE indexes SET versions = ?2, state = 0 WHERE number = ?1", record.number,
            IndexComponents.renewed(record.versions))
    }
}
