internal import SealiteDatabase
internal import SealiteQueryLanguage

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

/// A query of the query builder that has its results, but no data source yet.
@safe
// Sendable: it has no property of its own.
public final class Select: BuilderQuery, @unchecked Sendable {
    /// Returns the query with the data source from which it reads documents.
    public func from(_ source: any DataSourceProtocol) -> From {
        From(with { $0.source = source as? DataSource.Built })
    }
}

/// A query of the query builder to which a WHERE condition can be added.
@safe
// Sendable: it has no property of its own.
public class FilterableQuery: GroupableQuery, @unchecked Sendable {
    /// Returns the query with the condition that rows must fulfil (WHERE).
    public func `where`(_ condition: any ExpressionProtocol) -> Where { Where(with { $0.condition = condition.tree }) }
}

/// A query of the query builder that has a WHERE condition.
@safe
// Sendable: it has no property of its own.
public final class Where: GroupableQuery, @unchecked Sendable {}

/// A query of the query builder to which GROUP BY can be added.
@safe
// Sendable: it has no property of its own.
public class GroupableQuery: OrderableQuery, @unchecked Sendable {
    /// Returns the query with the expressions by whose values its rows are grouped.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }
    /// Returns the query with the expressions by whose values its rows are grouped.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        GroupBy(with { $0.groups = expressions.map(\.tree) })
    }
}

/// A query of the query builder that groups its rows.
@safe
// Sendable: it has no property of its own.
public final class GroupBy: OrderableQuery, @unchecked Sendable {
    /// Returns the query with the condition that groups must fulfil (HAVING).
    public func having(_ condition: any ExpressionProtocol) -> Having {
        Having(with { $0.groupCondition = condition.tree })
    }
}

/// A query of the query builder that has a condition for its groups.
@safe
// Sendable: it has no property of its own.
public final class Having: OrderableQuery, @unchecked Sendable {}

/// A query of the query builder to which ORDER BY can be added.
@safe
// Sendable: it has no property of its own.
public class OrderableQuery: LimitableQuery, @unchecked Sendable {
    /// Returns the query with the order of its rows: by the first term, and among rows that are equal in it by the next
    /// one.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }
    /// Returns the query with the order of its rows: by the first term, and among rows that are equal in it by the next
    /// one.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        let terms = orderings.map { ordering in
            (ordering as? BuiltOrder)?.term ?? Tree.OrderTerm(.foreign("a term of ORDER BY", "Ordering"))
        }
        return OrderBy(with { $0.order = terms })
    }
}

/// A query of the query builder that has an order.
@safe
// Sendable: it has no property of its own.
public final class OrderBy: LimitableQuery, @unchecked Sendable {}

/// Factory methods of the query builder for the terms of ORDER BY.
public enum Ordering {
    /// Returns a term that orders rows by the values of a property, given by its key path.
    public static func property(_ property: String) -> any QuerySortOrder { expression(Expression.property(property)) }
    /// Returns a term that orders rows by the values of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        BuiltOrder(term: Tree.OrderTerm(expression.tree))
    }
}

/// A term of ORDER BY in the query builder.
public protocol OrderingProtocol: Sendable {}

/// A term of ORDER BY in the query builder, whose direction can be chosen; ascending by default.
public protocol QuerySortOrder: OrderingProtocol {
    /// Returns the term in ascending order of values.
    func ascending() -> any OrderingProtocol
    /// Returns the term in descending order of values.
    func descending() -> any OrderingProtocol
}

struct BuiltOrder: QuerySortOrder {
    let term: Tree.OrderTerm

    func ascending() -> any OrderingProtocol { BuiltOrder(term: Tree.OrderTerm(term.expression, .ascending)) }
    func descending() -> any OrderingProtocol { BuiltOrder(term: Tree.OrderTerm(term.expression, .descending)) }
}

/// A query of the query builder to which a maximum number of rows can be added.
@safe
// Sendable: it has no property of its own.
public class LimitableQuery: BuilderQuery, @unchecked Sendable {
    /// Returns the query with the maximum number of rows, and the number of rows to skip before the first one that is
    /// returned.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)? = nil) -> Limit {
        Limit(with { ($0.limit, $0.offset) = (limit.tree, offset?.tree) })
    }
}

/// A query of the query builder that has a maximum number of rows.
@safe
// Sendable: it has no property of its own.
public final class Limit: BuilderQuery, @unchecked Sendable {}

/// The parts of a query that were passed to the builder.
struct BuiltQuery: Sendable {
    var columns: [BuiltResult]
    var isDistinct: Bool
    var source: DataSource.Built?
    var joins: [BuiltJoin] = []
    var condition: Tree.Expression?
    var groups: [Tree.Expression] = []
    var groupCondition: Tree.Expression?
    var order: [Tree.OrderTerm] = []
    var limit: Tree.Expression?
    var offset: Tree.Expression?

    /// Returns the syntax tree of the query, and its database.
    ///
    /// - Throws: `invalidQuery` if the query has no data source, or if the query builder didn't make a join.
    func text() throws -> QuerySourceText {
        guard let source else {
            throw DatabaseError(
                .invalidQuery,
                "the query has no data source: from(_:) wasn't called, or its argument isn't from DataSource.collection(_:)",
                hint: "call from(DataSource.collection(…)) after select(…)")
        }
        let results = columns.isEmpty ? [BuiltResult(expression: .star([], .none), alias: nil)] : columns
        let select = Tree.Select(
            .columns(results.map { Tree.ResultColumn($0.expression, as: $0.alias) }),
            from: Tree.From(source.tree, try joins.map { try $0.tree() }), isDistinct: isDistinct, where: condition,
            groupBy: groups, having: groupCondition)
        let query = Tree.Query(.select(select), order: order, limit: limit, offset: offset)
        return QuerySourceText(database: source.collection.database, tree: .query(query), text: nil)
    }
}
