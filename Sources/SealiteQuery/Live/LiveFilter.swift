/// The rule by which changes are skipped: for a query that reads one collection, whose result depends on nothing but the documents that fulfil WHERE.
struct LiveFilter: Sendable {
    /// The number of the collection.
    let collection: Int
    /// The alias of the collection's table in the predicate.
    let alias: String
    /// The condition for a row of the collection's table, with the parameters of the query; nil where every document takes part, so that no change is skipped.
    let predicate: String?
    /// The query for the numbers of the documents that take part; nil where the rows of the result have them.
    let members: String?
}
