/// Builds queries from Swift expressions, with Couchbase Lite's names.
///
/// ```swift
/// let query = QueryBuilder.select(SelectResult.expression(Meta.id), SelectResult.property("name"))
///     .from(DataSource.collection(people))
///     .where(Expression.property("age").greaterThan(Expression.int(30)))
///     .orderBy(Ordering.property("name"))
/// ```
public enum QueryBuilder {
    /// Starts a query with the given results; without results, the query returns all properties.
    public static func select(_ results: any SelectResultProtocol...) -> Select { select(results) }
    /// Starts a query with the given results; without results, the query returns all properties.
    public static func select(_ results: [any SelectResultProtocol]) -> Select { made(results, isDistinct: false) }
    /// Starts a query with the given results that returns equal rows only once.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select { selectDistinct(results) }
    /// Starts a query with the given results that returns equal rows only once.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        made(results, isDistinct: true)
    }

    private static func made(_ results: [any SelectResultProtocol], isDistinct: Bool) -> Select {
        Select(BuiltQuery(columns: results.compactMap { $0 as? BuiltResult }, isDistinct: isDistinct))
    }
}
