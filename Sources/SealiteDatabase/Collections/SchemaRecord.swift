/// A row of the catalogue of schemas (Documentation/DocumentFormat.md §3).
package struct SchemaRecord: Sendable, Equatable {
    /// The name of the type, unique in the database.
    package let title: String
    /// The number of the collection that contains the type's documents; nil if there is none.
    package let collection: Int?
    /// The version that the application gave the schema.
    package let version: UInt64
    /// The schema, a JSON Schema.
    package let definition: String

    /// Creates a row. No database stores a version of more than 63 bits.
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
