internal import SealiteDatabase

/// The names that the description of a query's plan shows for the tables in its SQL.
struct PlanNames: Sendable {
    /// The names of indexes, by the aliases of their tables in SQL.
    let indexes: [String: String]
    /// The names of full-text indexes, by the aliases of their tables in SQL and by the names of the tables.
    let textIndexes: [String: String]
    /// The names of the query's sources, by their aliases in SQL.
    let sources: [String: String]
    /// The kinds of the tables that the plan reads, by their aliases in SQL.
    let reads: [String: PlannedRead]
    /// The indexes that would make the query faster.
    let suggestions: [IndexSuggestion]
}
