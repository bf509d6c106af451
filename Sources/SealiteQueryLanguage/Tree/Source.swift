/// A source of rows in a FROM clause.
package indirect enum Source: Sendable, Equatable {
    /// A collection or a common table, and its alias.
    case collection(CollectionName, alias: String?)
    /// A subquery and its alias.
    case subquery(Query, alias: String)

    /// The position of the collection's name in the query's text; none for a subquery.
    package var position: SourcePosition { if case .collection(let name, _) = self { name.position } else { .none } }
}
