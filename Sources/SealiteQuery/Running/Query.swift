public import SealiteDatabase
internal import SealiteFile
internal import SealiteQueryLanguage
internal import Synchronization

/// A query over the documents of a database, or a statement that changes documents, which can be run any number of times.
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
        /// The rest of a statement that changes documents, whose query only finds them.
        let change: TranslatedChange?
    }

    private struct Settings {
        var parameters: Parameters?
        var rowLimit: Int?
        var timeLimit: Duration?
        var throttle: Duration = .milliseconds(100)
        var observers: [WeakLiveObserver] = []
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

    /// The values of the parameters. What is set is copied. Observers get a result for it at once.
    public var parameters: Parameters? {
        get { settings.withLock(\.parameters).map { Parameters(parameters: $0) } }
        set {
            let copy = newValue.map { Parameters(parameters: $0) }
            let observers = settings.withLock { settings in
                settings.parameters = copy
                return settings.observers.compactMap(\.observer)
            }
            for observer in observers { observer.restart() }
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

    /// The least time between two runs for observers, of which the first one doesn't wait; at most a day. Default 100 milliseconds. For observations that begin later.
    public var throttle: Duration {
        get { settings.withLock(\.throttle) }
        set { settings.withLock { $0.throttle = min(max(newValue, .zero), .seconds(86_400)) } }
    }

    /// What the query has in common with equal ones.
    func liveKey() throws -> (source: QuerySourceText, key: LiveKey) {
        let source = try source()
        let settings = settings.withLock { $0 }
        return (
            source,
            LiveKey(
                text: source.tree.description, parameters: Parameters(parameters: settings.parameters),
                rowLimit: settings.rowLimit, timeLimit: settings.timeLimit, throttle: settings.throttle)
        )
    }

    /// Tells an observer when parameters are set.
    func add(_ observer: LiveObserver) {
        settings.withLock { settings in
            settings.observers.removeAll { $0.observer == nil }
            settings.observers.append(WeakLiveObserver(observer: observer))
        }
    }

    // MARK: - Running

    /// Runs the query. Rows are read as they are asked for, out of the state of the database at this moment.
    ///
    /// An UPDATE, DELETE or INSERT has changed its documents when this returns, all of them in one transaction or as a part of the one that the thread is in; the rows
    /// are those of RETURNING. Where it throws, nothing is changed.
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
        let database = source.database
        if let change = compiled.change {
            let run = ChangeRun(
                database: database, change: change, sql: compiled.sql, parameters: settings.parameters,
                names: compiled.parameters)
            let outcome = try run(rowLimit: settings.rowLimit ?? .max)
            return ResultSet(compiled.columns, database, rows: outcome.rows, changedDocumentCount: outcome.ids.count)
        }
        let values = try Parameters.values(settings.parameters, compiled.parameters)
        func bind(_ statement: borrowing PreparedStatement) {
            for (index, value) in values.enumerated() { value.bind(statement, at: CInt(index + 1)) }
        }
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
        try database.readRows(compiled.sql, isKept: false, bind: bind) { row in
            guard rows.count < limit else { return }
            rows.append((0..<CInt(row.columnCount)).map { QueryValue(row, $0) })
        }
        return ResultSet(compiled.columns, database, rows: rows)
    }

    // MARK: - Translating

    /// The query for the schema as it is now.
    private func current(_ source: QuerySourceText) throws -> Compiled {
        let schema = try source.database.schemaVersion()
        if let known = compiled.withLock({ $0 }), known.schema == schema { return known }
        return try compile(source)
    }

    private func compile(_ source: QuerySourceText) throws -> Compiled {
        let schema = try source.database.schemaVersion()
        do {
            var translator = Translator(DatabaseCatalogue(database: source.database))
            let (found, change) = try translator.statement(source.tree)
            let results = change == nil ? found : change?.returning
            let new = Compiled(
                schema: schema, sql: found.sql, parameters: translator.parameters,
                columns: ResultColumns(results?.columns ?? [], isValue: results?.isValue ?? false),
                names: PlanNames(
                    indexes: translator.indexNames, textIndexes: translator.usedTextIndexes,
                    sources: translator.sourceNames,
                    reads: translator.reads, suggestions: translator.suggestions), change: change)
            compiled.withLock { $0 = new }
            return new
        } catch let failure as QueryFailure {
            throw failure.error(in: source.text)
        }
    }

    /// Returns the plan of the query: what is scanned, what is looked up in which index, and which index would help.
    ///
    /// - Parameter measuring: true to run the query to its end with its parameters, and add how many rows each step read, how many pages were opened
    ///   and how long it took. Of a statement that changes documents only the search for them is run: nothing is changed.
    /// - Returns: the plan.
    /// - Throws: as ``execute()-(_)``.
    public func explain(measuring: Bool = false) throws -> QueryPlan {
        let source = try source()
        do {
            let compiled = try current(source)
            var plan = try QueryPlan(source.database, compiled.sql, compiled.names)
            if measuring { try plan.measure(source.database, try visiting(source), parameters) }
            return plan
        } catch {
            throw QueryErrors.explained(error)
        }
    }

    /// Returns the plan of the query as text.
    @_disfavoredOverload
    public func explain() throws -> String { (try explain() as QueryPlan).description }

    /// The query for the schema as it is now, as a statement that counts the rows it visits.
    private func visiting(_ source: QuerySourceText) throws -> VisitingStatement {
        var translator = Translator(DatabaseCatalogue(database: source.database))
        translator.visited = []
        let (found, _) = try translator.statement(source.tree)
        return VisitingStatement(sql: found.sql, parameters: translator.parameters, aliases: translator.visited ?? [])
    }

    /// Translates the query and has SQLite read it.
    func check() throws {
        let source = try source()
        do {
            let compiled = try compile(source)
            try source.database.checkStatement(compiled.sql)
            if let returning = compiled.change?.returning { try source.database.checkStatement(returning.sql) }
        } catch {
            throw QueryErrors.explained(error)
        }
    }

    /// The names of the parameters that the query has.
    package var parameterNames: [String] {
        get throws { try current(try source()).parameters }
    }

    /// A Boolean value that says whether this is a statement that changes documents.
    package var changesDocuments: Bool {
        get throws {
            if case .query = try source().tree { return false }
            return true
        }
    }

    /// The SQL that the query is translated to.
    package func sql() throws -> String { try current(try source()).sql }
}

/// The tree of a query, with where it came from.
struct QuerySourceText: Sendable {
    let database: Database
    let tree: Tree.Statement
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
        let made = try parsedQuery(text)
        try made.check()
        return made
    }

    /// Makes a query of a tree. What is wrong with it is an error when it is run.
    package func createQuery(_ tree: Tree.Query) -> Query {
        TextQuery(QuerySourceText(database: self, tree: .query(tree), text: nil))
    }

    /// Parses and translates a text and returns the SQL, which SQLite doesn't read: this is what making a query costs besides SQLite's part.
    package func translateQuery(_ text: String) throws -> String { try parsedQuery(text).sql() }

    private func parsedQuery(_ text: String) throws -> Query {
        do {
            return TextQuery(QuerySourceText(database: self, tree: try Tree.Statement(parsing: text), text: text))
        } catch {
            throw DatabaseError(error)
        }
    }
}
