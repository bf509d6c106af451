public import SealiteDatabase
internal import SealiteFile
internal import SealiteQueryLanguage
internal import Synchronization

/// A query over the documents of a database, which can be run any number of times.
///
/// ```swift
/// let query = try database.createQuery("SELECT name, age FROM people WHERE age >= $age ORDER BY age")
/// query.parameters = Parameters().setInt(18, forName: "age")
/// for row in try query.execute() { print(row.string(forKey: "name") ?? "nobody") }
/// ```
/// Any thread may use a query. Inside a transaction it sees the transaction's changes.
@safe
// Sendable: everything but the two mutexes is immutable, in the builder's subclasses too.
public class Query: @unchecked Sendable {
    /// A query in SQL, and the state of the schema for which it was made.
    private struct Compiled {
        let schema: Int64
        let sql: String
        let parameters: [String]
        let columns: ResultColumns
        let names: PlanNames
    }

    private struct Settings {
        var parameters: Parameters?
        var rowLimit: Int?
        var timeLimit: Duration?
    }

    private let settings = Mutex(Settings())
    private let compiled = Mutex<Compiled?>(nil)

    init() {}

    /// The database, the tree and the text of the query.
    ///
    /// - Throws: `invalidQuery` where the builder was given something that is no query.
    func source() throws -> QuerySourceText {
        throw DatabaseError(.invalidQuery, "the query has no FROM clause")
    }

    // MARK: - Settings

    /// The values of the parameters. What is set is copied.
    public var parameters: Parameters? {
        get { settings.withLock(\.parameters).map { Parameters(parameters: $0) } }
        set {
            let copy = newValue.map { Parameters(parameters: $0) }
            settings.withLock { $0.parameters = copy }
        }
    }

    /// The number of rows after which a result ends, whatever LIMIT says; nil for all. Default nil.
    public var rowLimit: Int? {
        get { settings.withLock(\.rowLimit) }
        set { settings.withLock { $0.rowLimit = newValue.map { max($0, 0) } } }
    }

    /// The time after which the reading of a result ends with the error `cancelled`, counted from ``execute()``; nil for none. Default nil. Inside
    /// a transaction or a snapshot it isn't looked at.
    public var timeLimit: Duration? {
        get { settings.withLock(\.timeLimit) }
        set { settings.withLock { $0.timeLimit = newValue } }
    }

    // MARK: - Running

    /// Runs the query. Rows are read as they are asked for, out of the state of the database at this moment.
    ///
    /// - Throws: `invalidQuery` where the query names what isn't there, `invalidParameter` for a parameter that it doesn't have, `notOpen`, and what
    ///   the storage throws.
    public func execute() throws -> ResultSet { try execute(nil) }

    /// Runs the query without blocking the thread of the calling task. Cancelling the task while the first rows are sought interrupts the query.
    ///
    /// - Throws: as the other, and `cancelled`.
    public func execute() async throws -> ResultSet {
        let box = Running()
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await Offload.run { try self.execute(box) }
        } onCancel: {
            box.cancel()
        }
    }

    private func execute(_ running: Running?) throws -> ResultSet {
        let source = try source()
        let settings = settings.withLock { $0 }
        do {
            do {
                return try run(source, settings, try current(source), running)
            } catch  where QueryErrors.isStale(error) {
                return try run(source, settings, try compile(source), running)
            }
        } catch {
            throw QueryErrors.explained(error)
        }
    }

    private func run(
        _ source: QuerySourceText, _ settings: Settings, _ compiled: Compiled, _ running: Running?
    ) throws -> ResultSet {
        let values = try Self.values(settings.parameters, compiled.parameters)
        func bind(_ statement: borrowing PreparedStatement) {
            for (index, value) in values.enumerated() { value.bind(statement, at: CInt(index + 1)) }
        }
        let database = source.database
        guard database.isInTransactionOrSnapshot else {
            let cursor = try database.openCursor(compiled.sql, bind: bind)
            let results = ResultSet(compiled.columns, database, cursor: cursor, rowLimit: settings.rowLimit)
            running?.set(results)
            if let limit = settings.timeLimit { results.interrupt(after: limit) }
            try results.begin()
            return results
        }
        var rows: [[QueryValue]] = []
        let limit = settings.rowLimit ?? .max
        try database.readRows(compiled.sql, bind: bind) { row in
            guard rows.count < limit else { return }
            rows.append((0..<CInt(row.columnCount)).map { QueryValue(row, $0) })
        }
        return ResultSet(compiled.columns, database, rows: rows)
    }

    /// The values of the parameters that a query has, in their order; MISSING for those without one.
    private static func values(_ parameters: Parameters?, _ names: [String]) throws -> [QueryValue] {
        if let unknown = parameters?.names.first(where: { !names.contains($0) }) {
            throw DatabaseError(
                .invalidParameter, "the query has no parameter '\(unknown)'",
                hint: names.isEmpty ? "it has none" : "it has \(names.map { "$\($0)" }.joined(separator: ", "))")
        }
        return try names.map { try parameters?.value(forName: $0).map { try QueryValue($0) } ?? .missing }
    }

    // MARK: - Translating

    /// The query for the schema as it is now.
    private func current(_ source: QuerySourceText) throws -> Compiled {
        let schema = try source.database.schemaVersion()
        if let known = compiled.withLock({ $0 }), known.schema == schema { return known }
        return try compile(source)
    }

    @discardableResult
    private func compile(_ source: QuerySourceText) throws -> Compiled {
        let schema = try source.database.schemaVersion()
        do {
            var translator = Translator(DatabaseCatalogue(database: source.database))
            let translated = try translator.query(source.tree, nil)
            let new = Compiled(
                schema: schema, sql: translated.sql, parameters: translator.parameters,
                columns: ResultColumns(translated.columns, isValue: translated.isValue),
                names: PlanNames(
                    indexes: translator.usedIndexes.mapValues(\.name), sources: translator.sourceNames,
                    suggestions: translator.suggestions))
            compiled.withLock { $0 = new }
            return new
        } catch let failure as QueryFailure {
            throw failure.error(in: source.text)
        }
    }

    /// Returns the plan of the query: what is scanned, what is looked up in which index, and which index would help.
    ///
    /// - Throws: as ``execute()-(_)``.
    public func explain() throws -> QueryPlan {
        let source = try source()
        do {
            let compiled = try current(source)
            return try QueryPlan(source.database, compiled.sql, compiled.names)
        } catch {
            throw QueryErrors.explained(error)
        }
    }

    /// Returns the plan of the query as text.
    @_disfavoredOverload
    public func explain() throws -> String { (try explain() as QueryPlan).description }

    /// Translates the query and has SQLite read it.
    func check() throws {
        let source = try source()
        do {
            try source.database.checkStatement(try compile(source).sql)
        } catch {
            throw QueryErrors.explained(error)
        }
    }

    /// The SQL that the query is translated to.
    package func sql() throws -> String { try current(try source()).sql }
}

/// The tree of a query, with where it came from.
struct QuerySourceText: Sendable {
    let database: Database
    let tree: Tree.Query
    /// The text, where there was one, for the places of errors.
    let text: String?
}

/// A query that was written as text.
@safe
// Sendable: its one property is immutable.
final class TextQuery: Query, @unchecked Sendable {
    private let origin: QuerySourceText

    init(_ origin: QuerySourceText) { self.origin = origin }

    override func source() throws -> QuerySourceText { origin }
}

extension Database {
    /// Makes a query of a text in SQL++ (Documentation/QueryLanguage.md).
    ///
    /// - Throws: `invalidQuery`, which says where and what was expected.
    @_disfavoredOverload
    public func createQuery(_ text: String) throws -> Query {
        let tree: Tree.Statement
        do {
            tree = try Tree.Statement(parsing: text)
        } catch {
            throw DatabaseError(error)
        }
        guard case .query(let query) = tree else {
            throw DatabaseError(.invalidQuery, "UPDATE, DELETE and INSERT are not supported yet")
        }
        let made = TextQuery(QuerySourceText(database: self, tree: query, text: text))
        try made.check()
        return made
    }
}
