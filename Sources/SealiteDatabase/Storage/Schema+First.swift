extension Schema {
    /// Returns the table and indexes of one collection in format 1: the table first, then its indexes, that over ids
    /// first.
    static func firstCollectionParts(_ number: Int) -> [Part] {
        let table = "documents_\(number)"
        return [
            Part(
                name: table,
                sql: """
                    CREATE TABLE \(table) (
                        sequence INTEGER PRIMARY KEY,
                        id TEXT NOT NULL, flags INTEGER NOT NULL, revision BLOB NOT NULL,
                        expires INTEGER, body BLOB, tree BLOB) STRICT
                    """),
            Part(name: "\(table)_id", sql: "CREATE UNIQUE INDEX \(table)_id ON \(table) (id)"),
            Part(
                name: "\(table)_deleted",
                sql: "CREATE INDEX \(table)_deleted ON \(table) (sequence) WHERE flags & 1"),
            Part(
                name: "\(table)_expires",
                sql: "CREATE INDEX \(table)_expires ON \(table) (expires) WHERE expires IS NOT NULL"),
        ]
    }
}
