/// The rule for skipping changes: for a query that reads one collection and whose result depends only on the documents
/// that fulfil WHERE.
struct LiveFilter: Sendable {
    /// The number of the collection.
    let collection: Int
    /// The alias of the collection's table in the predicate.
    let alias: String
    /// The condition for a row of the collection's table, with the parameters of the query; nil if every document takes
    /// part, so that no change is skipped.
    let predicate: String?
    /// The query for the numbers of the documents that take part; nil if the rows of the result contain them.
    let members: String?
}
