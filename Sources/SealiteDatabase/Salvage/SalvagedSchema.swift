internal import SealiteFile
internal import SealiteJSON
internal import SealiteMaintenance
internal import SealiteRevisions

/// The statements with which a salvage creates the objects of a damaged document database again.
///
/// The tables and indexes of the format are created as the format defines them, whatever the damaged schema says, since
/// a file may have been made by somebody else.
enum SalvagedSchema {
    /// Returns the statement with which an object is created; nil to leave the object out.
    static func statement(type: String, name: String, sql: String) -> String? {
        let tokens = SchemaTexts.tokens(sql).map { word($0) }
        if let format = own(name.lowercased()) {
            guard tokens.dropFirst().prefix(2).contains(type), format.tokens.dropFirst().prefix(2).contains(type) else {
                return nil
            }
            return SchemaTexts.areEqual(sql, format.sql) ? sql : format.sql
        }
        switch type {
        case "index":
            // A database with another index isn't opened.
            guard let table = tokens.firstIndex(of: "on").flatMap({ tokens.dropFirst($0 + 1).first }),
                let format = own(table)
            else { return sql }
            return SQLExpressions.isAllowed(index: sql, on: format.sql) ? sql : nil
        case "view", "trigger": return tokens.dropFirst().prefix(1).contains(type) ? sql : nil
        default: return tokens.dropFirst().prefix(2).contains(type) ? sql : nil
        }
    }

    /// Returns the statement of the format for the table or index with a name, and its words; nil for another name.
    private static func own(_ name: String) -> (sql: String, tokens: [String])? {
        let place = SchemaTexts.place(of: name)
        let part =
            if let place { FormatTables.collectionParts(place.number).first { $0.name == name } } else {
                FormatTables.parts.first { $0.name == name }
            }
        return part.map { (sql: $0.sql, tokens: SchemaTexts.tokens($0.sql).map { word($0) }) }
    }

    /// Returns a word in lower case, without quotation marks.
    private static func word(_ token: [UInt8]) -> String {
        let isQuoted = token.count > 1 && (token.first == UInt8(ascii: "\"") || token.first == UInt8(ascii: "'"))
        return String(decoding: isQuoted ? Array(token.dropFirst().dropLast()) : token, as: UTF8.self).lowercased()
    }
}

extension GuidedSalvage {
    /// Corrects the rows of the new database whose numbers are out of range, which occur only in a file that somebody
    /// else made: a collection without a valid number is removed, and a document gets the next number or sequence.
    func correctNumbers() throws(SealedFileError) {
        let valid = "BETWEEN 1 AND \(PreparedStatement.numberLimit - 1)"
        try connection.execute(
            """
            DELETE FROM collections WHERE number NOT \(valid);
            UPDATE collections SET sequence = 0 WHERE sequence <> 0 AND sequence NOT \(valid);
            UPDATE collections SET purges = 0 WHERE purges <> 0 AND purges NOT \(valid)
            """)
        if schemaIsComplete {
            // A number without a table belongs to a deleted collection.
            let numbers = tableNumbers.map { "\($0.number)" } + ["\(FormatTables.defaultCollectionNumber)"]
            try connection.execute("DELETE FROM collections WHERE number NOT IN (\(numbers.joined(separator: ", ")))")
        }
        for (name, _) in tableNumbers {
            let columns = try connection.rows("SELECT name FROM pragma_table_info(?1)", bind: [.text(name)]) {
                $0.text(0) ?? ""
            }
            for (column, isSigned) in [("sequence", false), ("number", true)] where columns.contains(column) {
                try correct(column, isSigned, of: name, valid)
            }
        }
    }

    private func correct(
        _ column: String, _ isSigned: Bool, of table: String, _ valid: String
    ) throws(SealedFileError) {
        // The absolute value of the least integer is an error in SQLite.
        let size = isSigned ? "(CASE WHEN \(column) < 0 THEN -(\(column) + 1) + 1 ELSE \(column) END)" : column
        let keys = try connection.rows("SELECT number FROM \(table) WHERE \(size) NOT \(valid) ORDER BY number") {
            $0.integer(0)
        }
        guard !keys.isEmpty else { return }
        var next = 1 + (try connection.integer("SELECT ifnull(max(\(size)), 0) FROM \(table) WHERE \(size) \(valid)"))
        for row in keys {
            let sign = isSigned ? "* (1 - 2 * (flags & 1))" : ""
            try connection.query(
                "UPDATE OR IGNORE \(table) SET \(column) = ?2 \(sign) WHERE number = ?1",
                bind: [.integer(row), .integer(next)])
            next += 1
        }
    }
}

/// The rows of a damaged file that identify the database and its peers.
struct SalvagedSchemaRows {
    let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }

    /// The names of the indexes, besides the indexes of documents, whose entries contain the values of lost rows.
    static let indexNames: Set<String> = [
        "sqlite_autoindex_collections_1", "sqlite_autoindex_blobs_1", "sqlite_autoindex_remotes_1",
    ]
    private static let identities = ["publicUUID", "privateUUID"]

    /// Restores the UUIDs that identify the database, and the remotes.
    ///
    /// - Returns: true if a UUID is new, because the old one is lost.
    func place() throws(SealedFileError) -> Bool {
        let names = (Self.identities + ["previousPrivateUUID"]).map { "'\($0)'" }.joined(separator: ", ")
        let found =
            "\(GuidedSalvage.entries) WHERE rootpgno NOT IN (\(salvage.knownRoots)) AND nfield = 2"
            + " AND c0 IN (\(names)) AND typeof(c1) = 'blob' AND length(c1) = 16"
        try connection.execute("INSERT OR IGNORE INTO properties (name, value) SELECT c0, c1 FROM \(found)")
        try connection.execute("DELETE FROM \(found)")
        var isNew = false
        for name in Self.identities {
            let count = try connection.integer(
                "SELECT count(*) FROM properties WHERE name = '\(name)' AND typeof(value) = 'blob' AND length(value) = 16"
            )
            guard count == 0 else { continue }
            isNew = true
            try connection.query(
                "INSERT OR REPLACE INTO properties (name, value) VALUES (?1, ?2)",
                bind: [.text(name), .blob(try Self.newUUID())])
        }
        try placeRemotes()
        return isNew
    }

    /// Sets the versioning of the new file to version vectors, if the damaged file states it or salvaged documents have
    /// versions. The new file gets a new source id, because the damaged file may continue to write versions with the
    /// old one.
    func keepVersions(_ collections: [Int]) throws(SealedFileError) {
        var count = try connection.integer(
            "SELECT count(*) FROM properties WHERE name = 'versioning' AND value IS NOT 'trees'")
        for number in collections where count == 0 {
            count = try connection.integer(
                """
                SELECT EXISTS (SELECT 1 FROM documents_\(number)
                WHERE length(revision) = \(1 + SourceVersion.storedByteCount) AND substr(revision, 1, 1) = x'01')
                """)
        }
        guard count > 0 else { return }
        try connection.execute("DELETE FROM properties WHERE name = 'sourcePlace'")
        try connection.query(
            "INSERT OR REPLACE INTO properties (name, value) VALUES ('versioning', ?1), ('source', ?2)",
            bind: [.text(DocumentVersioning.vectors.rawValue), .blob(try Self.newUUID())])
    }

    private static func newUUID() throws(SealedFileError) -> [UInt8] {
        do {
            return try UUIDBytes.random()
        } catch {
            throw SealedFileError(.internalFailure, "generating the UUID of the salvaged database failed: \(error)")
        }
    }

    private func placeRemotes() throws(SealedFileError) {
        if let root = salvage.roots["sqlite_autoindex_remotes_1"] {
            try connection.execute(
                """
                INSERT OR IGNORE INTO remotes (number, name) SELECT c1, c0 FROM \(GuidedSalvage.entries)
                WHERE rootpgno = \(root) AND nfield = 2 AND typeof(c0) = 'text' AND typeof(c1) = 'integer'
                """)
        }
        let found =
            "\(salvage.lostAndFound) WHERE nfield = 2 AND id > 0 AND typeof(c0) = 'null' AND typeof(c1) = 'text'"
        try connection.execute("INSERT OR IGNORE INTO remotes (number, name) SELECT id, c1 FROM \(found)")
        try connection.execute("DELETE FROM \(found)")
    }

    /// Reserves the numbers that revision trees use for peers whose row is lost: another peer with such a number would
    /// be assumed to have the revisions of the lost peer.
    func keepRemoteNumbers(_ collections: [Int]) throws(SealedFileError) {
        guard let remotes = salvage.table("remotes"), remotes.isComplete else {
            return try keepUsedNumbers(collections)
        }
    }

    private func keepUsedNumbers(_ collections: [Int]) throws(SealedFileError) {
        var used: Set<Int> = []
        for number in collections {
            try connection.query(
                "SELECT revision, tree, flags FROM documents_\(number) WHERE substr(tree, 1, 1) IN (x'02', x'03')"
            ) {
                (row) throws(SealedFileError) in
                guard let current = RevisionID(stored: row.blob(0)),
                    let tree = try? RevisionTree(
                        stored: row.blob(1), current: current, isDeleted: row.integer(2) & 1 != 0)
                else { return }
                used.formUnion(tree.remotes.keys)
            }
        }
        for number in used {
            try connection.query(
                "INSERT OR IGNORE INTO remotes (number, name) VALUES (?1, ?2)",
                bind: [.integer(Int64(number)), .text("lost-\(number)")])
        }
    }
}

/// The catalogue of indexes, the catalogue of schemas, and the tables of indexes in a damaged file.
///
/// A table of keys isn't reassembled from its remains: opening the new database rebuilds it from the documents.
struct SalvagedCatalogue {
    let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }

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
        let remains = try connection.rows(
            """
            SELECT CASE WHEN sql LIKE 'CREATE VIRTUAL %' THEN 'virtual' ELSE type END AS kind, name FROM sqlite_schema
            WHERE type IN ('table', 'trigger', 'view') AND (
                \(isOfLostIndex.joined(separator: " OR "))
                OR name GLOB 'documents_[0-9]*_guard_*'
                    AND CAST(substr(name, 11) AS INTEGER) NOT IN (SELECT collection FROM indexes))
            ORDER BY kind DESC
            """
        ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
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
