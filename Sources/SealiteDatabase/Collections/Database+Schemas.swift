extension Database {
    /// Returns the rows of the catalogue of the application's schemas of documents, in the order of their creation.
    package func schemaRecords() throws -> [SchemaRecord] {
        try reading {
            try $0.rows("SELECT \(SchemaRecord.columns) FROM schemas ORDER BY number") { SchemaRecord($0) }
        }
    }

    /// Adds a row to the catalogue of schemas of documents, or replaces the row with the same title.
    package func setSchemaRecord(_ record: SchemaRecord) throws {
        try writer.perform(self) { transaction in
            _ = try transaction.connection.run(
                """
                INSERT INTO schemas (\(SchemaRecord.columns)) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (title) DO UPDATE SET collection = ?2, version = ?3, definition = ?4
                """, record.title, record.collection, Int64(clamping: record.version), record.definition)
        }
    }

    /// Removes the row with a title from the catalogue of schemas of documents, if there is one.
    package func removeSchemaRecord(title: String) throws {
        try writer.perform(self) { _ = try $0.connection.run("DELETE FROM schemas WHERE title = ?1", title) }
    }

    /// Returns the collection with a number; nil if there is none.
    package func collection(number: Int) throws -> Collection? {
        try reading {
            try $0.first("SELECT scope, name FROM collections WHERE number = ?1", number) { row in
                Collection(self, number: number, scope: row.text(at: 0), name: row.text(at: 1))
            }
        }
    }
}

/// A row of the catalogue of schemas: a JSON Schema for the documents of one type of the application
/// (Documentation/DocumentFormat.md §3).
package struct SchemaRecord: Sendable, Equatable {
    /// The name of the application's type, unique in the database.
    package let title: String
    /// The number of the collection that contains the type's documents; nil for a type without documents of its own.
    package let collection: Int?
    /// The version that the application gave the schema.
    package let version: UInt64
    /// The text of the JSON Schema.
    package let definition: String

    /// Creates a row. A version greater than `Int64.max` is stored as `Int64.max`.
    package init(title: String, collection: Int?, version: UInt64, definition: String) {
        (self.title, self.collection) = (title, collection)
        (self.version, self.definition) = (version, definition)
    }

    /// Creates a record from the row that a statement over ``columns`` has found.
    init(_ statement: borrowing PreparedStatement) {
        self.init(
            title: statement.text(at: 0), collection: statement.optionalInt64(at: 1).flatMap { Int(exactly: $0) },
            version: UInt64(clamping: statement.int64(at: 2)), definition: statement.text(at: 3))
    }

    static let columns = "title, collection, version, definition"
}
