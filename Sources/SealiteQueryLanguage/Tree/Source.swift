/// A source of rows in a FROM clause.
package indirect enum Source: Sendable, Equatable {
    /// A collection or a common table, and its alias.
    case collection(CollectionName, alias: String?)
    /// A subquery and its alias.
    case subquery(Query, alias: String)
}
