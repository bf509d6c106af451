internal import SealiteFile
internal import SealiteJSON
internal import SealiteMaintenance

/// The catalogue of indexes, the catalogue of schemas, and the tables of indexes in a damaged file.
///
/// A table of keys isn't reassembled from its remains: opening the new database rebuilds it from the documents.
struct SalvagedCatalogue {
    private let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }

    init(_ salvage: GuidedSalvage) { self.salvage = salvage }

    /// Restores rows of both catalogues that no b-tree reaches. Rows that are in their tables take precedence.
    func place() throws(SealedFileError) {
        let isKey = "typeof(c0) = 'null' AND typeof(id) = 'integer' AND id > 0"
        try place(
            in: "indexes (number, collection, name, kind, definition, versions, state)", fieldCount: 7,
            where: """
                \(isKey) AND typeof(c1) = 'integer' AND typeof(c2) = 'text' AND typeof(c3) = 'text' AND typeof(c4) = 'text'
                AND typeof(c5) = 'text' AND c6 IN (0, 1) AND json_valid(c4) AND json_valid(c5)
                """)
        try place(
            in: "schemas (number, title, collection, version, definition)", fieldCount: 5,
            where: """
                \(isKey) AND typeof(c1) = 'text' AND typeof(c2) IN ('integer', 'null') AND typeof(c3) = 'integer'
                AND typeof(c4) = 'text' AND json_valid(c4)
                """)
    }

    private func place(in table: String, fieldCount: Int, where condition: String) throws(SealedFileError) {
        let found = "\(salvage.lostAndFound) WHERE nfield = \(fieldCount) AND \(condition)"
        let values = (1..<fieldCount).map { "c\($0)" }.joined(separator: ", ")
        try connection.execute(
            "INSERT OR IGNORE INTO \(table) SELECT id, \(values) FROM \(found); DELETE FROM \(found)")
    }

    /// Marks all indexes that this program can build as to be rebuilt, and removes the tables, views and triggers of
    /// indexes that the catalogue has lost.
    func settle() throws(SealedFileError) {
        let kinds = IndexKind.allCases.map { $0.rawValue.quoted("'") }.joined(separator: ", ")
        try connection.execute(
            """
            DELETE FROM indexes WHERE collection NOT IN (SELECT number FROM collections);
            UPDATE indexes SET state = 1 WHERE kind IN (\(kinds))
            """)
        let isOfLostIndex = IndexKind.prefixes.sorted().map { prefix in
            """
            name GLOB '\(prefix)[0-9]*'
                AND CAST(substr(name, \(prefix.utf8.count + 1)) AS INTEGER) NOT IN (SELECT number FROM indexes)
            """
        }
        var remains: [(type: String, name: String)] = []
        try connection.query(
            """
            SELECT CASE WHEN sql LIKE 'CREATE VIRTUAL %' THEN 'virtual' ELSE type END AS kind, name FROM sqlite_schema
            WHERE type IN ('table', 'trigger', 'view') AND (
                \(isOfLostIndex.joined(separator: " OR "))
                OR name GLOB 'documents_[0-9]*_guard_*'
                    AND CAST(substr(name, 11) AS INTEGER) NOT IN (SELECT collection FROM indexes))
            ORDER BY kind DESC
            """
        ) { (row) throws(SealedFileError) in remains.append((row.text(0) ?? "", row.text(1) ?? "")) }
        for (type, name) in remains {
            if type == "virtual" {
                try removeVirtual(name)
            } else {
                try connection.execute("DROP \(type.uppercased()) IF EXISTS \(name.quoted("\""))")
            }
        }
    }

    /// Removes a virtual table from the schema without its module, which may be unable to read the table's remains. Its
    /// shadow tables are ordinary tables then.
    private func removeVirtual(_ name: String) throws(SealedFileError) {
        try connection.execute("PRAGMA writable_schema=ON")
        defer { try? connection.execute("PRAGMA writable_schema=OFF") }
        try connection.query("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?1", bind: [.text(name)])
    }
}
