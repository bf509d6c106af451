// The steps of the query builder. Each step is a query; what it has is immutable, which makes it Sendable.

/// Makes queries without text, by Couchbase Lite's names.
///
/// ```swift
/// let query = QueryBuilder.select(SelectResult.expression(Meta.id), SelectResult.property("name"))
///     .from(DataSource.collection(people))
///     .where(Expression.property("age").greaterThan(Expression.int(30)))
///     .orderBy(Ordering.property("name"))
/// ```
public enum QueryBuilder {
    /// Begins a query of the results; of none it is all properties.
    public static func select(_ results: any SelectResultProtocol...) -> Select { select(results) }
    /// Begins a query of the results; of none it is all properties.
    public static func select(_ results: [any SelectResultProtocol]) -> Select { made(results, isDistinct: false) }
    /// Begins a query of the results in which equal rows come once.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select { selectDistinct(results) }
    /// Begins a query of the results in which equal rows come once.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        made(results, isDistinct: true)
    }

    private static func made(_ results: [any SelectResultProtocol], isDistinct: Bool) -> Select {
        Select(BuiltQuery(columns: results.compactMap { $0 as? BuiltResult }, isDistinct: isDistinct))
    }
}

/// A query that lacks its data source.
@safe
// Sendable: its one property is immutable.
public final class Select: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }

    /// Says where the documents come from.
    public func from(_ source: any DataSourceProtocol) -> From {
        var next = built
        next.source = source as? DataSource.Built
        return From(next)
    }
}

/// A query with a data source.
@safe
// Sendable: its one property is immutable.
public final class From: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }

    /// Adds joins.
    public func join(_ joins: any JoinProtocol...) -> Joins { join(joins) }
    /// Adds joins.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        var next = built
        next.joins += joins.compactMap { $0 as? BuiltJoin }
        return Joins(next)
    }

    /// Adds the condition that rows fulfil.
    public func `where`(_ condition: any ExpressionProtocol) -> Where {
        var next = built
        next.condition = condition.tree
        return Where(next)
    }

    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }
    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        var next = built
        next.groups = expressions.map(\.tree)
        return GroupBy(next)
    }

    /// Adds the order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Adds the order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        var next = built
        next.order = orderings.compactMap { ($0 as? BuiltOrder)?.term }
        return OrderBy(next)
    }

    /// Adds the number of rows at most, and of rows to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        var next = built
        (next.limit, next.offset) = (limit.tree, offset?.tree)
        return Limit(next)
    }
}

/// A query with joins.
@safe
// Sendable: its one property is immutable.
public final class Joins: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }

    /// Adds the condition that rows fulfil.
    public func `where`(_ condition: any ExpressionProtocol) -> Where {
        var next = built
        next.condition = condition.tree
        return Where(next)
    }

    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }
    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        var next = built
        next.groups = expressions.map(\.tree)
        return GroupBy(next)
    }

    /// Adds the order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Adds the order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        var next = built
        next.order = orderings.compactMap { ($0 as? BuiltOrder)?.term }
        return OrderBy(next)
    }

    /// Adds the number of rows at most, and of rows to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        var next = built
        (next.limit, next.offset) = (limit.tree, offset?.tree)
        return Limit(next)
    }
}

/// A query with a condition.
@safe
// Sendable: its one property is immutable.
public final class Where: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }

    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }
    /// Adds the expressions by which rows are grouped.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        var next = built
        next.groups = expressions.map(\.tree)
        return GroupBy(next)
    }

    /// Adds the order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Adds the order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        var next = built
        next.order = orderings.compactMap { ($0 as? BuiltOrder)?.term }
        return OrderBy(next)
    }

    /// Adds the number of rows at most, and of rows to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        var next = built
        (next.limit, next.offset) = (limit.tree, offset?.tree)
        return Limit(next)
    }
}

/// A query with groups.
@safe
// Sendable: its one property is immutable.
public final class GroupBy: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }

    /// Adds the condition that groups fulfil.
    public func having(_ condition: any ExpressionProtocol) -> Having {
        var next = built
        next.groupCondition = condition.tree
        return Having(next)
    }

    /// Adds the order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Adds the order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        var next = built
        next.order = orderings.compactMap { ($0 as? BuiltOrder)?.term }
        return OrderBy(next)
    }

    /// Adds the number of rows at most, and of rows to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        var next = built
        (next.limit, next.offset) = (limit.tree, offset?.tree)
        return Limit(next)
    }
}

/// A query with a condition for groups.
@safe
// Sendable: its one property is immutable.
public final class Having: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }

    /// Adds the order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Adds the order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        var next = built
        next.order = orderings.compactMap { ($0 as? BuiltOrder)?.term }
        return OrderBy(next)
    }

    /// Adds the number of rows at most, and of rows to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        var next = built
        (next.limit, next.offset) = (limit.tree, offset?.tree)
        return Limit(next)
    }
}

/// A query with an order.
@safe
// Sendable: its one property is immutable.
public final class OrderBy: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }

    /// Adds the number of rows at most, and of rows to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        var next = built
        (next.limit, next.offset) = (limit.tree, offset?.tree)
        return Limit(next)
    }
}

/// A query with limits.
@safe
// Sendable: its one property is immutable.
public final class Limit: Query, @unchecked Sendable {
    private let built: BuiltQuery
    init(_ built: BuiltQuery) { self.built = built }
    override func source() throws -> QuerySourceText { try built.text() }
}
