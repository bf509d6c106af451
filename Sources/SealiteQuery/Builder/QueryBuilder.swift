/// The query builder: builds queries from Swift calls, with the names of Couchbase Lite's API.
///
/// ```swift
/// let query = QueryBuilder.select(SelectResult.expression(Meta.id), SelectResult.property("name"))
///     .from(DataSource.collection(people))
///     .where(Expression.property("age").greaterThan(Expression.int(30)))
///     .orderBy(Ordering.property("name"))
/// ```
///
/// A query with a part that wasn't made by the builder, such as a result of a type that the application declares, fails
/// when it is run.
public enum QueryBuilder {
    /// Starts a query that returns the given results for each row; without results, it returns all properties as one
    /// object.
    public static func select(_ results: any SelectResultProtocol...) -> Select { select(results) }
    /// Starts a query that returns the given results for each row; without results, it returns all properties as one
    /// object.
    public static func select(_ results: [any SelectResultProtocol]) -> Select { made(results, isDistinct: false) }
    /// Starts a query that returns the given results for each row, and equal rows only once; without results, it
    /// returns all properties as one object.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select { selectDistinct(results) }
    /// Starts a query that returns the given results for each row, and equal rows only once; without results, it
    /// returns all properties as one object.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        made(results, isDistinct: true)
    }

    private static func made(_ results: [any SelectResultProtocol], isDistinct: Bool) -> Select {
        let columns = results.map { result in
            result as? BuiltResult ?? BuiltResult(expression: .foreign("a result", "SelectResult"), alias: nil)
        }
        return Select(BuiltQuery(columns: columns, isDistinct: isDistinct))
    }
}
