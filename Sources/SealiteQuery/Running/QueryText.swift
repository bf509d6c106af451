internal import SealiteDatabase
internal import SealiteJSON

extension Result {
    /// Returns the values of the row's columns as texts, in the order of the columns.
    ///
    /// - Throws: `corruptData` if a stored value is damaged.
    package func texts() throws -> [ColumnText] {
        try values.map { value in
            switch value {
            case .missing: .missing
            case .integer, .real: .number(try QueryText.json(of: value))
            case .text(let text): .text(text)
            case .element: .json(try QueryText.json(of: value))
            }
        }
    }
}

/// Converts rows of results, and their values, to JSON text.
enum QueryText {
    /// Returns a result row as JSON text: an object with a member for each column that isn't MISSING or, for SELECT
    /// VALUE, the value, null for MISSING.
    static func json(of row: Result) throws -> String {
        if row.columns.isValue, let value = row.values.first { return try json(of: value) }
        var members: [String] = []
        for (name, value) in zip(row.columns.names, row.values) where value != .missing {
            members.append("\(try json(of: .text(name))):\(try json(of: value))")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Returns a value as JSON text; null for MISSING.
    static func json(of value: QueryValue) throws -> String {
        switch value {
        case .missing: return "null"
        case .integer(let integer): return String(integer)
        case .real(let double): return double.description
        case .text(let text):
            var writer = JSONBWriter(capacity: text.utf8.count + 8)
            writer.string(text)
            return try self.text(of: writer.bytes)
        case .element(let bytes): return try text(of: bytes)
        }
    }

    private static func text(of bytes: [UInt8]) throws -> String {
        guard let text = try? JSONBSerializer.text(of: bytes.span) else {
            throw DatabaseError(.corruptData, "a value in the query's result is damaged: it can't be converted to JSON")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
