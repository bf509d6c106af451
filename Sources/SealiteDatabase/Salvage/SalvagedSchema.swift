internal import SealiteFile
internal import SealiteMaintenance

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
            if let place { Schema.collectionParts(place.number).first { $0.name == name } } else {
                Schema.parts.first { $0.name == name }
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
            let numbers = tableNumbers.map { "\($0.number)" } + ["\(Schema.defaultCollectionNumber)"]
            try connection.execute("DELETE FROM collections WHERE number NOT IN (\(numbers.joined(separator: ", ")))")
        }
        for (name, _) in tableNumbers {
            var columns: Set<String> = []
            try connection.query("SELECT name FROM pragma_table_info(?1)", bind: [.text(name)]) {
                (row) throws(SealedFileError) in columns.insert(row.text(0) ?? "")
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
        var keys: [Int64] = []
        try connection.query("SELECT number FROM \(table) WHERE \(size) NOT \(valid) ORDER BY number") {
            (row) throws(SealedFileError) in keys.append(row.integer(0))
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
