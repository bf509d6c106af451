internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteQueryLanguage
internal import Synchronization

/// The translation of a query to SQL, with the version of the schema for which it was made.
struct CompiledQuery: Sendable {
    let schema: Int64
    let sql: String
    let parameters: [StatementParameter]
    let columns: ResultColumns
    let names: PlanNames
    /// The part of an UPDATE, DELETE or INSERT that changes documents; nil for a query. `sql` only finds the documents.
    let change: TranslatedChange?

    /// Translates a query for a version of the schema, which the calling thread's reads see.
    init(_ source: QueryDefinition, schema: Int64) throws {
        do {
            var translator = Translator(DatabaseCatalogue(database: source.database))
            let (found, change) = try translator.statement(source.tree)
            let results = change == nil ? found : change?.returning
            self.schema = schema
            sql = found.sql
            parameters = translator.parameters
            columns = ResultColumns(results?.columns ?? [], isValue: results?.isValue ?? false)
            names = translator.plan
            self.change = change
        } catch let failure as QueryFailure {
            throw failure.error(in: source.text)
        }
    }
}

/// The translations of the texts from which queries of a database were created most recently, so that a text that an
/// application repeats is parsed, translated and checked once for each version of the schema.
final class KnownQueries: Sendable {
    private struct Known {
        let tree: Statement
        let compiled: CompiledQuery
        /// The number of the last use, by which the texts are ordered.
        var use: UInt64
    }

    private struct State {
        var queries: [ExactText: Known] = [:]
        var useCount: UInt64 = 0
    }

    /// The maximum number of texts, and the length in bytes of a text up to which it is kept.
    private static let limit = (count: 64, byteCount: 4096)
    private let state = Mutex(State())

    /// The translations of a database.
    static func of(_ database: Database) -> KnownQueries {
        database.attachments.object(KnownQueries.self) { KnownQueries() }
    }

    /// Returns the syntax tree of a text, and its translation for a version of the schema; nil if it isn't known.
    func query(_ text: String, schema: Int64) -> (tree: Statement, compiled: CompiledQuery)? {
        guard text.utf8.count <= Self.limit.byteCount else { return nil }
        return state.withLock { state in
            let key = ExactText(text)
            guard let known = state.queries[key], known.compiled.schema == schema else { return nil }
            state.useCount += 1
            state.queries[key]?.use = state.useCount
            return (known.tree, known.compiled)
        }
    }

    /// Keeps the translation of a text, which SQLite has compiled without an error, in place of the one that wasn't used
    /// for the longest time if there are too many.
    func keep(_ text: String, _ tree: Statement, _ compiled: CompiledQuery) {
        guard text.utf8.count <= Self.limit.byteCount else { return }
        state.withLock { state in
            state.useCount += 1
            state.queries[ExactText(text)] = Known(tree: tree, compiled: compiled, use: state.useCount)
            guard state.queries.count > Self.limit.count,
                let oldest = state.queries.min(by: { $0.value.use < $1.value.use })?.key
            else { return }
            state.queries[oldest] = nil
            assert(state.queries.count == Self.limit.count, "one text is added at a time")
        }
    }
}
