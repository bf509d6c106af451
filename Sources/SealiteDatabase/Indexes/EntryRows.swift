internal import SealiteBase
internal import SealiteJSON

/// The rows that the entries of an index are made from, in SQL: one row for each document with the columns `id` and
/// `body`, or one row for each element of an array with the columns `value` and `position`.
struct EntryRows: Sendable {
    private let levels: [[KeyDefinition.PathStep]]
    /// The arguments, in SQL, of the function `mongo_entries`, which returns the entries of a document in an index over
    /// paths: its first argument, and the paths that follow the body. Nil for an index of another kind.
    private let entries: (isSparse: String, paths: String)?
    /// The SQL expressions for the keys of an entry over the columns of a row, which never yield NULL.
    let keys: [String]
    /// The SQL condition over the columns of a row that decides whether the row has an entry.
    let condition: String
    /// The name of the column with an element's position, in an array of one; empty if rows are documents.
    let position: [String]

    init(_ definition: KeyDefinition) {
        levels = definition.levels ?? []
        entries = definition.paths.map { paths in
            (definition.isSparse ? "1" : "0", KeyDefinition.Key.arguments(paths.map { .member($0) }))
        }
        position = definition.hasPositions ? ["position"] : []
        condition = definition.condition.map { "(\($0))" } ?? "TRUE"
        let isDocument = !definition.hasPositions
        keys = definition.keys.map { isDocument ? $0.ofDocument : $0.ofElement }
    }

    /// Returns an SQL statement that selects the rows of one document. `body` and `id` are SQL expressions.
    func ofBody(_ body: String, id: String) -> String {
        guard !position.isEmpty else { return "SELECT \(id) AS id, \(body) AS body" }
        return "SELECT \(element) FROM \(elements(of: body, id: id))"
    }

    /// Returns the rows of all documents of a table, in SQL as the source of a FROM clause, with the number of the
    /// document as the column `number`.
    func ofDocuments(_ table: String) -> String {
        guard !position.isEmpty else { return table }
        let rows = elements(of: "d.body", id: "d.id")
        return "(SELECT d.number AS number, \(element) FROM \(table) AS d CROSS JOIN \(rows))"
    }

    private var element: String {
        if entries != nil { return "e1.value AS value, query_place(e1.rowid) AS position" }
        // A value that isn't a container is its own element and has no position.
        assert(!levels.isEmpty, "elements are those of an array")
        let places = (1...levels.count).map { "iif(e\($0).key IS NULL, NULL, e\($0).rowid)" }
        return "e\(levels.count).value AS value, query_place(\(places.joined(separator: ", "))) AS position"
    }

    /// Returns the elements of the innermost arrays, in SQL as the source of a FROM clause. The order of the tables
    /// ensures that each array is known before its elements.
    private func elements(of body: String, id: String) -> String {
        if let entries {
            return "query_each(mongo_entries(\(entries.isSparse), \(id), \(body)\(entries.paths))) AS e1"
        }
        return levels.enumerated().map { index, steps in
            let container = index == 0 ? body : "e\(index).value"
            return "query_each(query_value(\(container)\(KeyDefinition.Key.arguments(steps)))) AS e\(index + 1)"
        }.joined(separator: " CROSS JOIN ")
    }
}

extension KeyDefinition.Key {
    /// The key in SQL over the columns `id` and `body`, never NULL.
    fileprivate var ofDocument: String {
        switch self {
        case .sql(let text): "ifnull((\(text)), x'')"
        case .path(let steps, let order): "ifnull(body_key('\(order.rawValue)', body\(Self.arguments(steps))), x'')"
        }
    }

    /// The key in SQL over the column `value`, never NULL.
    fileprivate var ofElement: String {
        switch self {
        case .sql(let text): "ifnull((\(text)), x'')"
        case .path(let steps, _) where steps.isEmpty: "ifnull(query_key(value), x'')"
        case .path(let steps, _): "ifnull(query_key(query_value(value\(Self.arguments(steps)))), x'')"
        }
    }

    /// Returns the steps of a path as further arguments of an SQL function, each preceded by a comma.
    fileprivate static func arguments(_ steps: [KeyDefinition.PathStep]) -> String {
        steps.map { step in
            switch step {
            case .item(let index): ", \(index)"
            case .member(let name): ", \(literal(name))"
            }
        }.joined()
    }

    /// Returns a text as an SQL literal. A text with a NUL, which would end the literal, is written as a BLOB of its
    /// bytes that is cast to TEXT.
    private static func literal(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text.quoted("'") }
        return "CAST(x'\(Hexadecimal.text(of: text.utf8))' AS TEXT)"
    }
}
