import SealiteFile

/// One row of `sqlite_schema`. https://sqlite.org/schematab.html
struct SchemaEntry {
    let type: String
    let name: String
    let tableName: String
    let root: UInt32
    private(set) var sql: String?

    static let types: Set<String> = ["table", "index", "view", "trigger"]

    /// Parses a record; nil if it isn't a row of a schema.
    init?(_ record: RowRecord, _ encoding: TextEncoding, pageCount: UInt32) {
        guard record.fields.count == 5, let type = record.text(0, encoding), Self.types.contains(type),
            let name = record.text(1, encoding), let tableName = record.text(2, encoding)
        else { return nil }
        let root = record.integer(3) ?? 0
        guard (0...Int64(pageCount)).contains(root) else { return nil }
        sql = record.text(4, encoding)
        if let sql, !sql.prefix(6).lowercased().elementsEqual("create") { return nil }
        self.type = type
        self.name = name
        self.tableName = tableName
        self.root = UInt32(root)
    }

    /// Returns the object with another statement.
    func with(sql: String) -> SchemaEntry {
        var entry = self
        entry.sql = sql
        return entry
    }

    /// A Boolean value that says whether the object is a table with stored rows.
    var isStoredTable: Bool { type == "table" && root > 0 }
    /// A Boolean value that says whether the object is a virtual table, whose content is in shadow tables.
    var isVirtual: Bool { type == "table" && root == 0 && sql != nil }
    /// A Boolean value that says whether SQLite itself creates the object, so that its SQL must not be run.
    var isInternal: Bool { name.lowercased().hasPrefix("sqlite_") }
}
