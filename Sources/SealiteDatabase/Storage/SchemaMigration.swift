internal import GRDB

/// Migrates a database of an earlier format to the present one, format by format, in the current write transaction. An
/// error or a cancellation leaves the database as it was.
struct SchemaMigration {
    private let database: GRDB.Database
    private let version: Int64
    /// The number of rows that are copied between two reports of progress.
    private static let batchRowCount = 1_000

    init(_ database: GRDB.Database, from version: Int64) {
        self.database = database
        self.version = version
    }

    /// Migrates the database to the present format.
    ///
    /// - Throws: the errors of `progress`, and errors of the storage.
    func run(_ progress: (MigrationProgress) throws -> Void) throws {
        if version < 2 { try numberDocuments(progress) }
        try database.run("PRAGMA user_version = \(Schema.version)")
    }

    // MARK: - 1 to 2: documents have numbers

    /// Converts the tables of documents from format 1 to format 2: each document gets a number, which is the sequence
    /// that was the key of its row.
    private func numberDocuments(_ progress: (MigrationProgress) throws -> Void) throws {
        let numbers = try collectionNumbers()
        var total: Int64 = 0
        for number in numbers { total += try database.integer("SELECT count(*) FROM documents_\(number)") }
        var done: Int64 = 0
        func report() throws {
            try progress(MigrationProgress(rowCount: UInt64(done), totalRowCount: UInt64(max(total, done))))
        }
        try report()
        // Renaming a table otherwise changes its name in views, triggers and foreign keys too, which would then name the
        // dropped table.
        try database.run("PRAGMA legacy_alter_table = ON")
        defer { try? database.run("PRAGMA legacy_alter_table = OFF") }
        for number in numbers {
            let old = "format1_documents_\(number)"
            for index in Schema.firstCollectionParts(Int(number)).dropFirst() {
                try database.run("DROP INDEX IF EXISTS \(index.name)")
            }
            let attached = try attachedObjects("documents_\(number)")
            try database.run("ALTER TABLE documents_\(number) RENAME TO \(old)")
            let parts = Schema.collectionParts(Int(number))
            try database.run(parts[0].sql)
            try copyRows(from: old, to: parts[0].name) { count in
                done += count
                try report()
            }
            // The indexes are created after the rows were copied, which sorts the entries in one pass.
            for part in parts.dropFirst() { try database.run(part.sql) }
            try database.run("DROP TABLE \(old)")
            for sql in attached { try database.run(sql) }
        }
        for part in Schema.laterParts where try !exists(part.name) { try database.run(part.sql) }
    }

    private func copyRows(from old: String, to new: String, _ didCopy: (Int64) throws -> Void) throws {
        var last: Int64 = .min
        while true {
            let bound = try PreparedStatement(
                database,
                "SELECT max(sequence), count(*) FROM (SELECT sequence FROM \(old) WHERE sequence > ?1 ORDER BY sequence LIMIT ?2)"
            )
            bound.bind(last, at: 1)
            bound.bind(Int64(Self.batchRowCount), at: 2)
            guard try bound.step(), !bound.isNull(at: 0) else { return }
            let end = try bound.sequence(at: 0)
            guard end > last else { throw DatabaseError.disorder("sequences", in: old) }
            let count = bound.int64(at: 1)
            let copy = try PreparedStatement(
                database,
                """
                INSERT INTO \(new) (number, id, sequence, flags, revision, expires, body, tree)
                SELECT CASE flags & 1 WHEN 0 THEN sequence ELSE -sequence END, id, sequence, flags, revision, expires, body, tree
                FROM \(old) WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence
                """)
            copy.bind(last, at: 1)
            copy.bind(end, at: 2)
            try copy.run()
            last = end
            try didCopy(count)
        }
    }

    /// Returns the SQL of the indexes and triggers of a table that aren't part of the format, so that they can be
    /// created again: dropping the table drops them.
    private func attachedObjects(_ table: String) throws -> [String] {
        let statement = try PreparedStatement(
            database,
            """
            SELECT sql FROM sqlite_schema WHERE tbl_name = ?1 AND (type = 'trigger' AND sql LIKE 'CREATE TRIGGER %'
                OR type = 'index' AND (sql LIKE 'CREATE INDEX %' OR sql LIKE 'CREATE UNIQUE INDEX %')) ORDER BY rowid
            """)
        statement.bind(table, at: 1)
        var found: [String] = []
        while try statement.step() { found.append(statement.text(at: 0)) }
        return found
    }

    private func collectionNumbers() throws -> [Int64] {
        let statement = try PreparedStatement(database, "SELECT number FROM collections ORDER BY number")
        var numbers: [Int64] = []
        while try statement.step() { numbers.append(statement.int64(at: 0)) }
        return numbers
    }

    private func exists(_ name: String) throws -> Bool {
        let statement = try PreparedStatement(database, "SELECT 1 FROM sqlite_schema WHERE name = ?1")
        statement.bind(name, at: 1)
        return try statement.step()
    }
}
