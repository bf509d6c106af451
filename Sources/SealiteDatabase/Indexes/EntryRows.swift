internal import SealiteBase
internal import SealiteFunctions
internal import SealiteJSON

/// The rows that the entries of an index are made from, in SQL: one row for each document with the columns `id` and
/// `body`, or one row for each element of an array with the columns `value` and `position`.
struct EntryRows: Sendable {
    private let levels: [[KeyDefinition.PathStep]]
    /// The function that returns the entries of a document in an index over paths, with its first argument, in SQL, and the
    /// paths that follow the document's id and body. Nil for an index of another kind.
    private let entries: (function: String, first: String, paths: String)?
    /// The SQL expressions for the keys of an entry over the columns of a row, which never yield NULL.
    let keys: [String]
    /// The SQL condition over the columns of a row that decides whether the row has an entry.
    let condition: String
    /// The name of the column with an element's position, in an array of one; empty if rows are documents.
    let position: [String]

    init(_ definition: KeyDefinition) {
        levels = definition.levels ?? []
        entries = definition.paths.map { paths in
            let arguments = KeyDefinition.Key.arguments(paths.map { .member($0) })
            if let grid = definition.grid { return ("mongo_cells", grid.text.quoted("'"), arguments) }
            return ("mongo_entries", definition.isSparse ? "1" : "0", arguments)
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
            return "query_each(\(entries.function)(\(entries.first), \(id), \(body)\(entries.paths))) AS e1"
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

/// The entries of one document in the table of an index, without the document's number: the columns of all entries in
/// one buffer.
struct DocumentEntries {
    /// The number of columns of an entry.
    private let width: Int
    /// A Boolean value that says whether the last column is a position, by which the entries are sorted. Otherwise a
    /// document has at most one entry.
    private let hasPosition: Bool
    private(set) var bytes: [UInt8] = []
    /// The end of each column in `bytes`: the columns of the first entry, then those of the second, and so on.
    private var ends: [Int] = []

    init(width: Int, hasPosition: Bool) {
        assert(width > 0)
        self.width = width
        self.hasPosition = hasPosition
    }

    /// The number of the document's entries in the index.
    var count: Int { ends.count / width }

    /// Returns the range in `bytes` of a column of an entry, given by the indexes of the entry and the column, from 0.
    func range(_ index: Int, _ column: Int) -> Range<Int> {
        assert(column >= 0 && column < width && index >= 0 && index < count, "the document has the entry")
        let end = index * width + column
        return (end == 0 ? 0 : ends[end - 1])..<ends[end]
    }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// Appends the next column, whose bytes `write` appends to the buffer. An entry is complete when all its columns
    /// are appended.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        assert(bytes.count >= ends.last ?? 0, "a column is only appended")
        ends.append(bytes.count)
    }

    /// Returns the bytes of an entry's position, which is its last column; empty if entries have no position.
    private func position(_ index: Int) -> ArraySlice<UInt8> {
        hasPosition ? bytes[range(index, width - 1)] : []
    }

    private func isSame(_ index: Int, _ other: DocumentEntries, _ otherIndex: Int) -> Bool {
        (0..<width).allSatisfy { bytes[range(index, $0)] == other.bytes[other.range(otherIndex, $0)] }
    }

    /// The difference between a document's old entries and its new ones.
    struct Changes {
        /// The numbers, counted from 0, of the old entries that are to be deleted.
        private(set) var deleted: [Int] = []
        /// The numbers, counted from 0, of the new entries that are to be inserted.
        private(set) var inserted: [Int] = []

        var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty }

        /// Compares the old and the new entries, both sorted by position, and sets `deleted` and `inserted` to the
        /// difference.
        mutating func find(from old: DocumentEntries, to new: DocumentEntries) {
            deleted.removeAll(keepingCapacity: true)
            inserted.removeAll(keepingCapacity: true)
            assert(old.width == new.width && old.hasPosition == new.hasPosition, "the entries are those of one index")
            assert(new.ends.count.isMultiple(of: new.width), "entries are whole")
            assert(new.hasPosition || new.count <= 1, "a document without positions has one entry")
            if old.bytes == new.bytes, old.ends == new.ends { return }
            var (before, after) = (0, 0)
            while before < old.count, after < new.count {
                let (left, right) = (old.position(before), new.position(after))
                let isFirst = left.lexicographicallyPrecedes(right)
                let isLast = !isFirst && right.lexicographicallyPrecedes(left)
                if isFirst || isLast || !old.isSame(before, new, after) {
                    if !isLast { deleted.append(before) }
                    if !isFirst { inserted.append(after) }
                }
                if !isLast { before += 1 }
                if !isFirst { after += 1 }
            }
            deleted += before..<old.count
            inserted += after..<new.count
        }
    }
}
