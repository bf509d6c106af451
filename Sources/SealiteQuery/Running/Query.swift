internal import SealiteBase
public import SealiteDatabase
internal import SealiteFile
internal import SealiteQueryLanguage
internal import Synchronization

/// A query over the documents of a database, or a statement that changes documents, which can be run any number of
/// times.
///
/// ```swift
/// let query = try database.createQuery("SELECT name, age FROM people WHERE age >= $age ORDER BY age")
/// query.parameters = Parameters().setInt(18, forName: "age")
/// for row in try query.execute() { print(row.string(forKey: "name") ?? "nobody") }
/// ```
/// A query may be used from any thread. Inside a transaction it sees the transaction's changes.
@safe
// Sendable: everything but the two mutexes is immutable, in the builder's subclasses too.
public class Query: @unchecked Sendable {
    struct Settings {
        var parameters: Parameters?
        var rowLimit: Int?
        var timeLimit: Duration?
        var throttle: Duration = .milliseconds(100)
        /// The observers of the query, which are restarted when the parameters are set.
        var observers: [(id: ObjectIdentifier, restart: @Sendable () -> Void)] = []
    }

    let settings = Mutex(Settings())
    private let compiled: Mutex<CompiledQuery?>

    /// Creates a query with its translation, if that is known.
    init(_ known: CompiledQuery? = nil) { compiled = Mutex(known) }

    /// Returns the syntax tree of the query, with its database and the text that it was parsed from.
    ///
    /// - Throws: `invalidQuery` if the parts from the builder don't make a query.
    func source() throws -> QueryDefinition {
        throw DatabaseError(.invalidQuery, "the query has no FROM clause")
    }

    // MARK: - Settings

    /// The values of the query's parameters, which are copied when they are set and read; nil if there are none.
    /// Setting them delivers a new result to the query's observers immediately.
    public var parameters: Parameters? {
        get { settings.withLock(\.parameters).map { Parameters(parameters: $0) } }
        set {
            let copy = newValue.map { Parameters(parameters: $0) }
            let observers = settings.withLock { settings in
                settings.parameters = copy
                return settings.observers
            }
            for observer in observers { observer.restart() }
        }
    }

    /// The maximum number of rows of a result, in addition to LIMIT; nil for no maximum. Default nil. A negative number
    /// is set as 0.
    public var rowLimit: Int? {
        get { settings.withLock(\.rowLimit) }
        set { settings.withLock { $0.rowLimit = newValue.map { max($0, 0) } } }
    }

    /// The time after the start of `execute()` after which reading the result ends with the error `cancelled`; nil for
    /// no limit. Default nil. Ignored inside a transaction or a snapshot, and by UPDATE, DELETE and INSERT. If the
    /// query is observed, the limit applies to each run of it. A search by vectors spends at most half of the time on
    /// training and filling the index, which a later search goes on with.
    public var timeLimit: Duration? {
        get { settings.withLock(\.timeLimit) }
        set { settings.withLock { $0.timeLimit = newValue } }
    }

    /// The minimum time between the starts of two runs of the query for its observers, at most a day; the first run
    /// doesn't wait. Default 100 milliseconds. A change applies to later observations.
    public var throttle: Duration {
        get { settings.withLock(\.throttle) }
        set { settings.withLock { $0.throttle = min(max(newValue, .zero), .seconds(86_400)) } }
    }

    // MARK: - Running

    /// Runs the query. Rows are read on demand from the present state of the database.
    ///
    /// An UPDATE, DELETE or INSERT has changed its documents when the method returns: all of them in one transaction,
    /// or as part of the thread's current transaction. The returned rows are those of RETURNING. If the method throws,
    /// nothing is changed.
    ///
    /// - Throws: `invalidQuery` if the query names something that doesn't exist or can't be run, `invalidParameter` for
    ///   a parameter that it doesn't have or a value that can't be used, `cancelled` if the first rows take longer than
    ///   ``timeLimit``, `notOpen`, errors of the storage and, for UPDATE, DELETE and INSERT, those of saving or
    ///   deleting a document.
    public func execute() throws -> ResultSet { try execute(nil) }

    /// The asynchronous form of `execute()`, which doesn't block the calling task's thread. Cancelling the task before
    /// the first rows have been read interrupts the query. An UPDATE, DELETE or INSERT is rolled back if the task is
    /// cancelled before its transaction is committed; if the method returns, the changes are stored.
    ///
    /// - Throws: the errors of the synchronous form, `cancelled` if the query is interrupted or the changes are rolled
    ///   back, and `CancellationError` if the task was cancelled before the call.
    public func execute() async throws -> ResultSet {
        if try changesDocuments { return try await change() }
        let box = Running()
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await Offload.run { try self.execute(box) }
        } onCancel: {
            box.cancel()
        }
    }

    /// Runs an UPDATE, DELETE or INSERT in a transaction of its own, which the cancellation of the task rolls back.
    private func change() async throws -> ResultSet {
        let database = try source().database
        try Task.checkCancellation()
        do {
            try await database.storeLargeBlobs(parameters?.blobs ?? [])
            return try await database.write { transaction in
                let source = try self.source()
                let settings = self.settings.withLock { $0 }
                // Translated in the transaction, in which no other connection changes the schema.
                return try self.change(source, settings, try self.current(source)) {
                    try $0(rowLimit: settings.rowLimit ?? .max, in: transaction)
                }
            }
        } catch {
            throw QueryErrors.explained(error)
        }
    }

    /// Runs an UPDATE, DELETE or INSERT by `run`.
    private func change(
        _ source: QueryDefinition, _ settings: Settings, _ compiled: CompiledQuery,
        _ run: (ChangeRun) throws -> ChangeRun.Outcome
    ) throws -> ResultSet {
        guard let change = compiled.change else {
            throw DatabaseError(.unexpected, "a statement that changes documents was translated to a query")
        }
        let outcome = try run(
            ChangeRun(
                database: source.database, change: change, sql: compiled.sql, parameters: settings.parameters,
                asked: compiled.parameters))
        let rows = outcome.rows.map { Result(columns: compiled.columns, values: $0, database: source.database) }
        return ResultSet(compiled.columns, source.database, rows: rows, changedDocumentCount: outcome.count)
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
        _ source: QueryDefinition, _ settings: Settings, _ compiled: CompiledQuery, _ running: Running?
    ) throws -> ResultSet {
        let database = source.database
        if compiled.change != nil {
            return try change(source, settings, compiled) { try $0(rowLimit: settings.rowLimit ?? .max) }
        }
        let start = database.configuration.time.now
        for index in compiled.names.vectorIndexes {
            try database.prepareSearch(ofIndex: index, until: settings.timeLimit.map { start + $0 / 2 }) {
                try running?.requireNotCancelled()
            }
        }
        let values = try Parameters.values(settings.parameters, compiled.parameters, database.configuration.time)
        assert(values.count == compiled.parameters.count, "each parameter is bound")
        guard database.isInTransactionOrSnapshot else {
            let cursor = try database.openCursor(compiled.sql, bind: values.bind)
            let results = ResultSet(compiled.columns, database, cursor: cursor, rowLimit: settings.rowLimit)
            running?.set(results)
            if let limit = settings.timeLimit {
                results.interrupt(after: limit, since: start, by: database.configuration.time)
            }
            try results.begin()
            return results
        }
        let rows = try database.rows(compiled.sql, values, isKept: false, limit: settings.rowLimit ?? .max)
        return ResultSet(
            compiled.columns, database,
            rows: rows.map { Result(columns: compiled.columns, values: $0, database: database) })
    }

    // MARK: - Translating

    /// Returns the translation of the query for the current schema, translating it anew only if the schema has changed.
    private func current(_ source: QueryDefinition) throws -> CompiledQuery {
        try source.database.preparing { _ in
            let schema = try source.database.schemaVersion()
            if let known = compiled.withLock({ $0 }), known.schema == schema { return known }
            return try compile(source, schema)
        }
    }

    private func compile(_ source: QueryDefinition) throws -> CompiledQuery {
        try source.database.preparing { _ in try compile(source, try source.database.schemaVersion()) }
    }

    private func compile(_ source: QueryDefinition, _ schema: Int64) throws -> CompiledQuery {
        let new = try CompiledQuery(source, schema: schema)
        compiled.withLock { $0 = new }
        return new
    }

    /// Returns the plan of the query: its scans, its lookups in indexes, and the indexes that would make it faster.
    ///
    /// - Parameter measuring: true to run the query to its end with its parameters, and to add the number of rows that
    ///   each step read, the number of pages that were read, and the time. Of a statement that changes documents only
    ///   the search is run: nothing is changed.
    /// - Returns: the plan.
    /// - Throws: the errors of `execute()`.
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

    /// Returns the plan of the query as text: an indented list of its steps, and advice on indexes.
    @_disfavoredOverload
    public func explain() throws -> String { (try explain() as QueryPlan).description }

    /// Returns the translation of the query for the current schema, as a statement that counts the visited rows.
    private func visiting(_ source: QueryDefinition) throws -> VisitingStatement {
        var translator = Translator(DatabaseCatalogue(database: source.database))
        translator.visited = []
        let (found, _) = try translator.statement(source.tree)
        return VisitingStatement(sql: found.sql, parameters: translator.parameters, aliases: translator.visited ?? [])
    }

    /// The names of the query's parameters without the `$`, each once.
    package var parameterNames: [String] {
        get throws { try current(try source()).parameters.compactMap(\.name) }
    }

    /// A Boolean value that says whether this is an UPDATE, DELETE or INSERT, which changes documents.
    package var changesDocuments: Bool {
        get throws {
            if case .query = try source().tree { return false }
            return true
        }
    }

    /// Returns the SQL that the query is translated to; for UPDATE and DELETE the query that finds the documents, for
    /// INSERT the one that returns the documents to insert.
    package func sql() throws -> String { try current(try source()).sql }
}

extension Database {
    /// Creates a query, or a statement that changes documents, from a text in SQL++ (Documentation/QueryLanguage.md).
    ///
    /// - Throws: `invalidQuery` for a syntax error, with its position and what was expected there, and for a query that
    ///   names something that doesn't exist; `notOpen`, and errors of the storage.
    @_disfavoredOverload
    public func createQuery(_ text: String) throws -> Query {
        do {
            return try preparing { check in
                let schema = try schemaVersion()
                let known = KnownQueries.of(self)
                if let (tree, compiled) = known.query(text, schema: schema) {
                    return TreeQuery(QueryDefinition(database: self, tree: tree, text: text), compiled)
                }
                let source = try parsed(text)
                let compiled = try CompiledQuery(source, schema: schema)
                try check(compiled.sql)
                if let returning = compiled.change?.returning { try check(returning.sql) }
                // A transaction may be rolled back, and another one then give another schema the same version.
                if !isInTransaction { known.keep(text, source.tree, compiled) }
                return TreeQuery(source, compiled)
            }
        } catch {
            throw QueryErrors.explained(error)
        }
    }

    /// Creates a query from a syntax tree. Errors, such as unknown names, are reported when the query is run.
    package func createQuery(_ tree: Tree.Query) -> Query {
        TreeQuery(QueryDefinition(database: self, tree: .query(tree), text: nil))
    }

    /// Parses and translates a text and returns the SQL without having SQLite compile it: the part of a query's
    /// creation outside of SQLite.
    package func translateQuery(_ text: String) throws -> String { try TreeQuery(try parsed(text)).sql() }

    private func parsed(_ text: String) throws -> QueryDefinition {
        do {
            return QueryDefinition(database: self, tree: try Statement(parsing: text), text: text)
        } catch {
            throw DatabaseError(error)
        }
    }
}

/// A query that was created from text or from a syntax tree.
@safe
// Sendable: its one property is immutable.
final class TreeQuery: Query, @unchecked Sendable {
    private let origin: QueryDefinition

    init(_ origin: QueryDefinition, _ known: CompiledQuery? = nil) {
        self.origin = origin
        super.init(known)
    }

    override func source() throws -> QueryDefinition { origin }
}
