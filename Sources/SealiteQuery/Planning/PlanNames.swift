internal import SealiteDatabase

/// The names for the tables of a plan's SQL.
struct PlanNames: Sendable {
    /// The names of indexes by the aliases of their tables.
    let indexes: [String: String]
    /// The names of full-text indexes by the aliases and the names of their tables.
    let textIndexes: [String: String]
    /// The names of sources by their aliases.
    let sources: [String: String]
    /// The tables that are read, by their aliases.
    let reads: [String: PlannedRead]
    /// The indexes that would make the query faster.
    let suggestions: [IndexSuggestion]
}
