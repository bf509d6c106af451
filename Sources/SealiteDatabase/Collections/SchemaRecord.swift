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
