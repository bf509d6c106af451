/// The query builder: builds queries from Swift calls, with the names of Couchbase Lite's API.
///
/// ```swift
/// let query = QueryBuilder.select(SelectResult.expression(Meta.id), SelectResult.property("name"))
///     .from(DataSource.collection(people))
///     .where(Expression.property("age").greaterThan(Expression.int(30)))
///     .orderBy(Ordering.property("name"))
/// ```
public enum QueryBuilder {
    /// Starts a query that returns the given results for each row; without results, it returns all properties as one
    /// object.
    public static func select(_ results: any SelectResultProtocol...) -> Select { select(results) }
    /// Starts a query that returns the given results for each row; without results, it returns all properties as one
    /// object.
    public static func select(_ results: [any SelectResultProtocol]) -> Select { made(results, isDistinct: false) }
    /// Starts a query that returns the given results for each row, and equal rows only once.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select { selectDistinct(results) }
    /// Starts a query that returns the given results for each row, and equal rows only once.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        made(results, isDistinct: true)
    }

    private static func made(_ results: [any SelectResultProtocol], isDistinct: Bool) -> Select {
        Select(BuiltQuery(columns: results.compactMap { $0 as? BuiltResult }, isDistinct: isDistinct))
    }
}
