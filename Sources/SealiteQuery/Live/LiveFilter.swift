/// The rule for skipping changes of documents that don't affect an observed query, which reads one collection and whose
/// result depends only on the documents that fulfil WHERE.
struct LiveFilter: Sendable {
    /// The number of the collection, which is part of the name of its SQL table.
    let collection: Int
    /// The alias of the collection's table in the predicate.
    let alias: String
    /// The condition, in SQL, that a document takes part in the result, over a row of the collection's table; it has
    /// the parameters of the query. Nil if every document takes part, so that no change is skipped.
    let predicate: String?
    /// The SQL query for the row numbers of the documents that take part in the result; nil if the rows of the result
    /// have these numbers in an additional column, or if `predicate` is nil.
    let members: String?
}
