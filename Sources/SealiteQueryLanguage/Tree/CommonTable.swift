/// A named query `name AS (SELECT …)` of a WITH clause.
package struct CommonTable: Sendable, Equatable {
    package var name: String
    package var query: Query
    /// The position of the name in the query's text.
    package var position: SourcePosition

    package init(_ name: String, _ query: Query, at position: SourcePosition = .none) {
        self.name = name
        self.query = query
        self.position = position
    }
}
