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
public enum QueryBuilder {
    /// Starts a query that returns the given results for each row; without results, it returns all properties as one
    /// object.
    public static func select(_ results: SelectResult...) -> Select { select(results) }
    /// Starts a query that returns the given results for each row; without results, it returns all properties as one
    /// object.
    public static func select(_ results: [SelectResult]) -> Select { made(results, isDistinct: false) }
    /// Starts a query that returns the given results for each row, and equal rows only once; without results, it
    /// returns all properties as one object.
    public static func selectDistinct(_ results: SelectResult...) -> Select { selectDistinct(results) }
    /// Starts a query that returns the given results for each row, and equal rows only once; without results, it
    /// returns all properties as one object.
    public static func selectDistinct(_ results: [SelectResult]) -> Select { made(results, isDistinct: true) }

    private static func made(_ results: [SelectResult], isDistinct: Bool) -> Select {
        Select(BuiltQuery(columns: results.map(\.column), isDistinct: isDistinct))
    }
}

// The stages of building a query. Each stage is a query that can be run, with methods for the clauses that may follow.
// Clauses may be left out, so that each stage after FROM inherits the methods of the stages behind it.

/// A query that was made with the query builder.
@safe
// Sendable: its one property is immutable, and its subclasses have none.
public class BuilderQuery: Query, @unchecked Sendable {
    let built: BuiltQuery

    init(_ built: BuiltQuery) { self.built = built }

    override func source() throws -> QueryDefinition { try built.text() }

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
    public func from(_ source: DataSource) -> From { From(with { $0.source = source }) }
}

/// A query of the query builder that has a data source, to which joins can be added.
@safe
// Sendable: it has no property of its own.
public final class From: Joins, @unchecked Sendable {
    /// Returns the query with joins of its data source with other sources.
    public func join(_ joins: Join...) -> Joins { join(joins) }
    /// Returns the query with joins of its data source with other sources.
    public func join(_ joins: [Join]) -> Joins { Joins(with { $0.joins += joins.map(\.tree) }) }
}

/// A query of the query builder that has its sources, to which a WHERE condition can be added.
@safe
// Sendable: it has no property of its own.
public class Joins: Where, @unchecked Sendable {
    /// Returns the query with the condition that rows must fulfil (WHERE).
    public func `where`(_ condition: Expression) -> Where { Where(with { $0.condition = condition.tree }) }
}

/// A query of the query builder that has its WHERE condition, to which GROUP BY can be added.
@safe
// Sendable: it has no property of its own.
public class Where: Having, @unchecked Sendable {
    /// Returns the query with the expressions by whose values its rows are grouped.
    public func groupBy(_ expressions: Expression...) -> GroupBy { groupBy(expressions) }
    /// Returns the query with the expressions by whose values its rows are grouped.
    public func groupBy(_ expressions: [Expression]) -> GroupBy {
        GroupBy(with { $0.groups = expressions.map(\.tree) })
    }
}

/// A query of the query builder that groups its rows.
@safe
// Sendable: it has no property of its own.
public final class GroupBy: Having, @unchecked Sendable {
    /// Returns the query with the condition that groups must fulfil (HAVING).
    public func having(_ condition: Expression) -> Having { Having(with { $0.groupCondition = condition.tree }) }
}

/// A query of the query builder that has its condition for groups, to which ORDER BY can be added.
@safe
// Sendable: it has no property of its own.
public class Having: OrderBy, @unchecked Sendable {
    /// Returns the query with the order of its rows: by the first term, and among rows that are equal in it by the next
    /// one.
    public func orderBy(_ orderings: Ordering...) -> OrderBy { orderBy(orderings) }
    /// Returns the query with the order of its rows: by the first term, and among rows that are equal in it by the next
    /// one.
    public func orderBy(_ orderings: [Ordering]) -> OrderBy { OrderBy(with { $0.order = orderings.map(\.term) }) }
}

/// A query of the query builder that has its order, to which a maximum number of rows can be added.
@safe
// Sendable: it has no property of its own.
public class OrderBy: Limit, @unchecked Sendable {
    /// Returns the query with the maximum number of rows, and the number of rows to skip before the first one that is
    /// returned.
    public func limit(_ limit: Expression, offset: Expression? = nil) -> Limit {
        Limit(with { ($0.limit, $0.offset) = (limit.tree, offset?.tree) })
    }
}

/// A query of the query builder that has all of its clauses.
@safe
// Sendable: it has no property of its own.
public class Limit: BuilderQuery, @unchecked Sendable {}

/// A term of ORDER BY in the query builder.
@safe
// Sendable: its one property is immutable, and its subclass has none.
public class Ordering: @unchecked Sendable {
    let term: Tree.OrderTerm

    fileprivate init(_ term: Tree.OrderTerm) { self.term = term }

    /// Returns a term that orders rows by the values of a property, given by its key path.
    public static func property(_ property: String) -> QuerySortOrder { expression(Expression.property(property)) }
    /// Returns a term that orders rows by the values of an expression.
    public static func expression(_ expression: Expression) -> QuerySortOrder {
        QuerySortOrder(Tree.OrderTerm(expression.tree))
    }
}

/// A term of ORDER BY in the query builder, whose direction can be chosen; ascending by default.
@safe
// Sendable: it has no property of its own.
public final class QuerySortOrder: Ordering, @unchecked Sendable {
    /// Returns the term in ascending order of values.
    public func ascending() -> Ordering { Ordering(Tree.OrderTerm(term.expression, .ascending)) }
    /// Returns the term in descending order of values.
    public func descending() -> Ordering { Ordering(Tree.OrderTerm(term.expression, .descending)) }
}

/// The parts of a query that were passed to the builder.
struct BuiltQuery: Sendable {
    var columns: [Tree.ResultColumn]
    var isDistinct: Bool
    var source: DataSource?
    var joins: [Tree.Join] = []
    var condition: Tree.Expression?
    var groups: [Tree.Expression] = []
    var groupCondition: Tree.Expression?
    var order: [Tree.OrderTerm] = []
    var limit: Tree.Expression?
    var offset: Tree.Expression?

    /// Returns the syntax tree of the query, and its database.
    ///
    /// - Throws: `invalidQuery` if the query has no data source.
    func text() throws -> QueryDefinition {
        guard let source else {
            throw DatabaseError(
                .invalidQuery,
                "the query has no data source: from(_:) wasn't called",
                hint: "call from(DataSource.collection(…)) after select(…)")
        }
        let select = Tree.Select(
            .columns(columns.isEmpty ? [Tree.ResultColumn(.star([], .none))] : columns),
            from: Tree.From(source.tree, joins), isDistinct: isDistinct, where: condition, groupBy: groups,
            having: groupCondition)
        let query = Tree.Query(.select(select), order: order, limit: limit, offset: offset)
        return QueryDefinition(database: source.collection.database, tree: .query(query), text: nil)
    }
}
