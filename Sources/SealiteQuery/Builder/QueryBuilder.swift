/// Builds queries from Swift expressions, with Couchbase Lite's names.
///
/// ```swift
/// let query = QueryBuilder.select(SelectResult.expression(Meta.id), SelectResult.property("name"))
///     .from(DataSource.collection(people))
///     .where(Expression.property("age").greaterThan(Expression.int(30)))
///     .orderBy(Ordering.property("name"))
/// ```
public enum QueryBuilder {
    /// Starts a query with results; without results it returns all properties.
    public static func select(_ results: any SelectResultProtocol...) -> Select { select(results) }
    /// Starts a query with results; without results it returns all properties.
    public static func select(_ results: [any SelectResultProtocol]) -> Select { made(results, isDistinct: false) }
    /// Starts a query with results that returns equal rows once.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select { selectDistinct(results) }
    /// Starts a query with results that returns equal rows once.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        made(results, isDistinct: true)
    }

    private static func made(_ results: [any SelectResultProtocol], isDistinct: Bool) -> Select {
        Select(BuiltQuery(columns: results.compactMap { $0 as? BuiltResult }, isDistinct: isDistinct))
    }
}

// The steps of the builder. Each is a query, with methods for the parts that may follow it.

/// A query made with the builder.
@safe
// Sendable: its one property is immutable, and its subclasses have none.
public class BuilderQuery: Query, @unchecked Sendable {
    fileprivate let built: BuiltQuery

    fileprivate init(_ built: BuiltQuery) { self.built = built }

    override func source() throws -> QuerySourceText { try built.text() }

    /// Returns the parts of the query after a change.
    fileprivate func with(_ change: (inout BuiltQuery) -> Void) -> BuiltQuery {
        var next = built
        change(&next)
        return next
    }
}

/// A query that can have limits.
@safe
// Sendable: it has no property of its own.
public class LimitableQuery: BuilderQuery, @unchecked Sendable {
    /// Adds the maximum number of rows, and the number of rows to skip before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        Limit(with { ($0.limit, $0.offset) = (limit.tree, offset?.tree) })
    }
}

/// A query that can have an order.
@safe
// Sendable: it has no property of its own.
public class OrderableQuery: LimitableQuery, @unchecked Sendable {
    /// Adds the order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Adds the order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(with { $0.order = orderings.compactMap { ($0 as? BuiltOrder)?.term } })
    }
}

/// A query that can have groups.
@safe
// Sendable: it has no property of its own.
public class GroupableQuery: OrderableQuery, @unchecked Sendable {
    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }
    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        GroupBy(with { $0.groups = expressions.map(\.tree) })
    }
}

/// A query that can have a condition.
@safe
// Sendable: it has no property of its own.
public class FilterableQuery: GroupableQuery, @unchecked Sendable {
    /// Adds the condition that rows must fulfil.
    public func `where`(_ condition: any ExpressionProtocol) -> Where { Where(with { $0.condition = condition.tree }) }
}

/// A query without its data source.
@safe
// Sendable: it has no property of its own.
public final class Select: BuilderQuery, @unchecked Sendable {
    /// Adds the source of the documents.
    public func from(_ source: any DataSourceProtocol) -> From {
        From(with { $0.source = source as? DataSource.Built })
    }
}

/// A query with a data source.
@safe
// Sendable: it has no property of its own.
public final class From: FilterableQuery, @unchecked Sendable {
    /// Adds joins.
    public func join(_ joins: any JoinProtocol...) -> Joins { join(joins) }
    /// Adds joins.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        Joins(with { $0.joins += joins.compactMap { $0 as? BuiltJoin } })
    }
}

/// A query with joins.
@safe
// Sendable: it has no property of its own.
public final class Joins: FilterableQuery, @unchecked Sendable {}

/// A query with a condition.
@safe
// Sendable: it has no property of its own.
public final class Where: GroupableQuery, @unchecked Sendable {}

/// A query with groups.
@safe
// Sendable: it has no property of its own.
public final class GroupBy: OrderableQuery, @unchecked Sendable {
    /// Adds the condition that groups must fulfil.
    public func having(_ condition: any ExpressionProtocol) -> Having {
        Having(with { $0.groupCondition = condition.tree })
    }
}

/// A query with a condition for groups.
@safe
// Sendable: it has no property of its own.
public final class Having: OrderableQuery, @unchecked Sendable {}

/// A query with an order.
@safe
// Sendable: it has no property of its own.
public final class OrderBy: LimitableQuery, @unchecked Sendable {}

/// A query with limits.
@safe
// Sendable: it has no property of its own.
public final class Limit: BuilderQuery, @unchecked Sendable {}
