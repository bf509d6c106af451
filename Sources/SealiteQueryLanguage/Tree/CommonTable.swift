/// A named query `name AS (SELECT …)` of a WITH clause.
package struct CommonTable: Sendable, Equatable {
    package var name: String
    package var query: Query

    package init(_ name: String, _ query: Query) {
        self.name = name
        self.query = query
    }
}
