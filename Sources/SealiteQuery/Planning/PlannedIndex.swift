internal import SealiteDatabase
internal import SealiteQueryLanguage
internal import Synchronization

/// An index in the form for plans: its keys and its condition as expressions over a document.
struct PlannedIndex: Sendable {
    /// One key: an expression, and the collation of its strings.
    struct Key: Equatable, Sendable {
        let expression: Tree.Expression
        let collation: String?

        init(_ expression: Tree.Expression) {
            let (inner, collation) = expression.withoutCollation
            self.init(inner.canonical, collation: collation)
        }

        init(_ expression: Tree.Expression, collation: String?) {
            self.expression = expression
            self.collation = collation
        }
    }

    let number: Int64
    let name: String
    /// The name of the table.
    let table: String
    /// The steps to the array whose elements have the keys, by levels; nil if documents have the keys.
    let levels: [[PathStep]]?
    let keys: [Key]
    let condition: Tree.Expression?
}

extension PlannedIndex {
    /// Creates the index of a row of the catalogue; nil if it wasn't made from SQL++, or isn't ready for use.
    init?(_ record: IndexRecord) {
        guard let (table, source) = record.usable, let made = try? IndexSource(stored: source),
            let expressions = try? made.expressions.map({ try Tree.Expression(parsing: $0) })
        else { return nil }
        if let text = made.path {
            guard let path = try? ArrayPath(parsing: text) else { return nil }
            let keys = expressions.compactMap { $0.ofElement.map { Key($0) } }
            guard keys.count == expressions.count else { return nil }
            self.init(
                number: record.number, name: record.name, table: table, levels: path.levels.map(\.allSteps),
                keys: keys.isEmpty ? [Key(.element)] : keys, condition: nil)
            return
        }
        var condition: Tree.Expression?
        if let text = made.condition {
            guard let parsed = try? Tree.Expression(parsing: text) else { return nil }
            condition = parsed.canonical
        }
        self.init(
            number: record.number, name: record.name, table: table, levels: nil, keys: expressions.map { Key($0) },
            condition: condition)
    }
}

/// The most recently read indexes, kept because reading the stored definitions takes longer than translating a query.
enum PlannedIndexes {
    private static let limit = 64
    private static let known = Mutex<[(record: IndexRecord, index: PlannedIndex?)]>([])

    /// Returns the index of a row of the catalogue; nil if plans can't use it.
    static func index(_ record: IndexRecord) -> PlannedIndex? {
        if let found = known.withLock({ $0.first { $0.record == record } }) { return found.index }
        let index = PlannedIndex(record)
        known.withLock { known in
            if known.count == limit { known.removeFirst() }
            known.append((record, index))
        }
        return index
    }
}

/// The source texts of an index.
struct IndexSource: Equatable {
    /// The path to the array whose elements are indexed; nil if documents are indexed.
    var path: String?
    var expressions: [String]
    var condition: String?
    /// The language of a full-text index.
    var language: String?

    init(path: String? = nil, expressions: [String], condition: String?) {
        self.path = path
        self.expressions = expressions
        self.condition = condition
    }

    init(stored: String) throws {
        let members = try DictionaryObject(json: stored)
        path = members.string(forKey: "path")
        expressions = (members.array(forKey: "expressions") ?? []).compactMap(\.string)
        condition = members.string(forKey: "where")
        language = members.string(forKey: "language")
    }

    /// The text that is stored with the index.
    var stored: String {
        get throws {
            var members = DictionaryObject()
            members["expressions"] = .array(ArrayObject(expressions.map { .string($0) }))
            if let path { members["path"] = .string(path) }
            if let condition { members["where"] = .string(condition) }
            if let language { members["language"] = .string(language) }
            return try members.toJSON()
        }
    }
}
