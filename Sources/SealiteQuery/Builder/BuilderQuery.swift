// The steps of the builder. Each is a query, with methods for the parts that may follow it.

/// A query made with the builder.
@safe
// Sendable: its one property is immutable, and its subclasses have none.
public class BuilderQuery: Query, @unchecked Sendable {
    let built: BuiltQuery

    init(_ built: BuiltQuery) { self.built = built }

    override func source() throws -> QuerySourceText { try built.text() }

    /// Returns the parts of the query after a change.
    func with(_ change: (inout BuiltQuery) -> Void) -> BuiltQuery {
        var next = built
        change(&next)
        return next
    }
}
