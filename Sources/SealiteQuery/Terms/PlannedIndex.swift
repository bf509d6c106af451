internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage
internal import Synchronization

/// An index in the form that the planner needs: its keys and its condition as expressions over a document or an
/// element.
struct PlannedIndex: Sendable {
    /// One key of the index: an expression, and the name of the collation that its strings are compared by.
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
    /// The name of the index's SQL table of keys.
    let table: String
    /// The steps to the array whose elements are indexed, one list for each level of nested arrays; nil if documents
    /// are indexed.
    let levels: [[PathStep]]?
    let keys: [Key]
    let condition: Tree.Expression?
}

extension PlannedIndex {
    /// Creates the index from its row of the database's catalogue of indexes; nil if it wasn't defined in SQL++, or
    /// isn't ready for use.
    init?(_ record: IndexRecord) {
        switch record.kind {
        case .value, .array: break
        case .multikey, .geo, .text, .vector, nil: return nil
        }
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

/// A cache of indexes with parsed definitions, because parsing a stored definition takes longer than translating a
/// query.
enum PlannedIndexes {
    private static let limit = 64
    private static let known = Mutex<[(record: IndexRecord, index: PlannedIndex?)]>([])

    /// Returns the index of a row of the catalogue of indexes, with its definition parsed; nil if queries can't use it.
    static func index(_ record: IndexRecord) -> PlannedIndex? {
        if let found = known.withLock({ $0.first { $0.record == record } }) { return found.index }
        let index = PlannedIndex(record)
        known.withLock { known in
            assert(known.count <= limit)
            if known.count == limit { known.removeFirst() }
            known.append((record, index))
        }
        return index
    }
}

/// A table that the plan of a query reads.
enum PlannedRead: Sendable {
    /// The documents of the collection with a number.
    case documents(collection: Int)
    /// The keys of an index, of which the first `equalCount` are bound to one value each.
    case index(PlannedIndex, equalCount: Int)
}

/// A full-text index in the form that the translation of queries needs.
struct TextIndex: Equatable {
    let name: String
    /// The number of the index in the database's catalogue of indexes.
    let number: Int64
    /// The name of the index's FTS5 table.
    let table: String
    let definition: TextDefinition

    /// Creates the index from its row of the database's catalogue of indexes; nil if it isn't a full-text index, or
    /// isn't ready for use.
    init?(_ record: IndexRecord) {
        guard let (table, definition) = record.text else { return nil }
        (name, number) = (record.name, record.number)
        (self.table, self.definition) = (table, definition)
    }

    /// The beginning of the error message for an invalid search text; the SQL function `query_match` uses it too.
    static let failurePrefix = "the text of MATCH"

    /// Returns the SQL for the FTS5 expression to which a search text is translated. `text` is the search text, in SQL.
    func expression(_ text: String) -> String {
        let names = definition.texts.map { ", \(SQLText.string($0.name))" }.joined()
        return "query_match(\(text), \(SQLText.string(definition.tokenizer))\(names))"
    }

    /// Returns the SQL for the rank of a row that a scan of the FTS5 table has found; its value is NULL for a row if
    /// the scan has already found `count` better ones, and never NULL without a count. `handle` is the SQL for the
    /// scanned table, and `weights` the SQL of further arguments, each after a comma.
    func rank(_ handle: String, count: String = "NULL", _ weights: String) -> String {
        "query_rank(\(handle), \(number), \(count)\(weights))"
    }

    /// Returns the reason why a search text is invalid for the index; nil if it is valid.
    func problem(of text: String) -> String? {
        do throws(FullTextQuery.Failure) {
            _ = try FullTextQuery(
                text, columns: definition.texts.map(\.name), settings: definition.settings ?? WordSettings())
            return nil
        } catch {
            return "\(Self.failurePrefix), character \(error.position): \(error.reason)"
        }
    }
}

/// An access path to documents through the words of a full-text index: the FTS5 table is scanned first and returns the
/// documents' row numbers. FTS5's functions can then be called for this scan.
struct TextAccess {
    let index: TextIndex
    /// The search text, the second argument of MATCH.
    let query: Tree.Expression
    /// The alias of the index's FTS5 table in SQL.
    let alias: String
    /// The SQL for the FTS5 expression to which the search text is translated.
    let expression: String

    /// The SQL condition that is false for a row that can't be among the first rows by rank, the only ones that the
    /// query returns; nil if all rows are needed.
    var best: String?

    /// The SQL by which FTS5's functions refer to the scanned table, their first argument.
    var handle: String { "\(alias).\(index.table)" }
}

/// An index with which a query would not have to read every document of a collection.
public struct IndexSuggestion: Sendable, Equatable, CustomStringConvertible {
    /// The name of the collection's scope.
    public let scopeName: String
    /// The name of the collection.
    public let collectionName: String
    /// The path to the array whose elements the index would contain; nil for an index over documents.
    public let path: String?
    /// The expressions of the index in SQL++, in their order; empty if the index would contain whole elements.
    public let expressions: [String]

    /// A sentence that describes the index.
    public var description: String {
        let list = expressions.joined(separator: ", ")
        let keys = path.map { expressions.isEmpty ? "the elements of \($0)" : "\(list) of the elements of \($0)" }
        return "an index over \(keys ?? list) of \(scopeName).\(collectionName) would help"
    }
}

/// The indexes, reads and suggestions of a query's plan, collected during its translation for the plan's description.
struct PlanNames: Sendable {
    /// The indexes that the plan uses, by the aliases of their tables in SQL.
    var indexes: [String: PlannedIndex] = [:]
    /// The names of the full-text indexes that the plan uses, by the aliases and the names of their tables in SQL.
    var textIndexes: [String: String] = [:]
    /// The names of the vector indexes through which the plan finds documents, and the lists that it reads, by the aliases of
    /// their tables in SQL.
    var vectorSearches: [String: (name: String, lists: String)] = [:]
    /// The numbers of the vector indexes of which the query needs the metric or the lists.
    var vectorIndexes: Set<Int64> = []
    /// Sentences on what the plan does besides the steps of SQLite.
    var notes: [String] = []
    /// The names of the query's sources, by their aliases in SQL.
    var sources: [String: String] = [:]
    /// The tables that the plan reads, by their aliases in SQL.
    var reads: [String: PlannedRead] = [:]
    /// The indexes that would make the query faster.
    var suggestions: [IndexSuggestion] = []

    /// Returns the name of the index of a table; nil if the table isn't that of an index. The table is given by its alias
    /// in SQL, or by its name, because SQLite's plan of a simple count has no alias.
    func index(of table: String) -> String? {
        (indexes[table] ?? indexes.values.first { $0.table == table })?.name
    }
}
