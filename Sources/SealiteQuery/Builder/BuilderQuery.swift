// The stages of building a query. Each stage is a query that can be run, with methods for the clauses that may follow.

/// A query that was made with the query builder.
@safe
// Sendable: its one property is immutable, and its subclasses have none.
public class BuilderQuery: Query, @unchecked Sendable {
    let built: BuiltQuery

    init(_ built: BuiltQuery) { self.built = built }

    override func source() throws -> QuerySourceText { try built.text() }

    /// Returns a copy of the query's parts that a closure has changed.
    func with(_ change: (inout BuiltQuery) -> Void) -> BuiltQuery {
        var next = built
        change(&next)
        return next
    }
}
