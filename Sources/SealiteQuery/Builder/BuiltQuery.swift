internal import SealiteQueryLanguage
public import SealiteDatabase

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

    /// Returns the tree of the query, and its database.
    ///
    /// - Throws: `invalidQuery` if there is no data source.
    func text() throws -> QuerySourceText {
        guard let source else {
            throw DatabaseError(.invalidQuery, "the query has no data source", hint: "end it with from(…)")
        }
        let results = columns.isEmpty ? [BuiltResult(expression: .star([], .none), alias: nil)] : columns
        let select = Tree.Select(
            .columns(results.map { Tree.ResultColumn($0.expression, as: $0.alias) }),
            from: Tree.From(source.tree, joins.map(\.tree)), isDistinct: isDistinct, where: condition, groupBy: groups,
            having: groupCondition)
        let query = Tree.Query(.select(select), order: order, limit: limit, offset: offset)
        return QuerySourceText(database: source.collection.database, tree: .query(query), text: nil)
    }
}

/// A result of SELECT in the query builder.
public protocol SelectResultProtocol: Sendable {}
/// A result that can have an alias.
public protocol SelectResultAs: SelectResultProtocol {
    /// Returns the result with a column name.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}
/// A result of all properties, optionally those of a named data source.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Returns all properties of the data source with an alias.
    func from(_ alias: String?) -> any SelectResultProtocol
}

struct BuiltResult: SelectResultAs, SelectResultFrom {
    let expression: Tree.Expression
    let alias: String?

    func `as`(_ alias: String?) -> any SelectResultProtocol { BuiltResult(expression: expression, alias: alias) }
    func from(_ alias: String?) -> any SelectResultProtocol {
        BuiltResult(expression: .star(alias.map { [$0] } ?? [], .none), alias: nil)
    }
}

/// The results of SELECT.
public enum SelectResult {
    /// Returns a property by its key path.
    public static func property(_ property: String) -> any SelectResultAs { expression(Expression.property(property)) }
    /// Returns an expression as a result.
    public static func expression(_ expression: any ExpressionProtocol) -> any SelectResultAs {
        BuiltResult(expression: expression.tree, alias: nil)
    }
    /// Returns all properties as one object.
    public static func all() -> any SelectResultFrom { BuiltResult(expression: .star([], .none), alias: nil) }
}

/// A source of documents.
public protocol DataSourceProtocol: Sendable {}
/// A data source that can have an alias.
public protocol DataSourceAs: DataSourceProtocol {
    /// Returns the data source with a name.
    func `as`(_ alias: String) -> any DataSourceProtocol
}

/// The data sources.
public enum DataSource {
    /// Returns a collection as a data source.
    public static func collection(_ collection: SealiteDatabase.Collection) -> any DataSourceAs {
        Built(collection: collection, alias: nil)
    }

    struct Built: DataSourceAs {
        let collection: SealiteDatabase.Collection
        let alias: String?

        func `as`(_ alias: String) -> any DataSourceProtocol { Built(collection: collection, alias: alias) }

        var tree: Tree.Source {
            .collection(
                CollectionName(scope: collection.scopeName, collection.name), alias: alias ?? collection.name)
        }
    }
}

/// A join.
public protocol JoinProtocol: Sendable {}
/// A join without its condition.
public protocol JoinOnProtocol: JoinProtocol {
    /// Returns the join with the condition that matching rows fulfil.
    func on(_ condition: any ExpressionProtocol) -> any JoinProtocol
}

struct BuiltJoin: JoinOnProtocol {
    /// The kind; nil for a cross join.
    let kind: Tree.Join.Kind?
    let source: DataSource.Built
    var condition: Tree.Expression = .literal(.boolean(true))

    func on(_ condition: any ExpressionProtocol) -> any JoinProtocol {
        BuiltJoin(kind: kind, source: source, condition: condition.tree)
    }

    var tree: Tree.Join {
        kind.map { .join($0, source.tree, on: condition) } ?? .cross(source.tree)
    }
}

/// The joins.
public enum Join {
    /// Returns an inner join.
    public static func join(_ source: any DataSourceProtocol) -> any JoinOnProtocol { innerJoin(source) }
    /// Returns an inner join.
    public static func innerJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.inner, source) }
    /// Returns an outer join, in which rows of the first source without a match are kept.
    public static func leftJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.left, source) }
    /// Returns an outer join, in which rows of the first source without a match are kept.
    public static func leftOuterJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.left, source) }
    /// Returns a join of every row of one source with every row of the other.
    public static func crossJoin(_ source: any DataSourceProtocol) -> any JoinProtocol { made(nil, source) }

    private static func made(_ kind: Tree.Join.Kind?, _ source: any DataSourceProtocol) -> BuiltJoin {
        guard let source = source as? DataSource.Built else { preconditionFailure("a data source of another module") }
        return BuiltJoin(kind: kind, source: source)
    }
}

/// A term of ORDER BY.
public protocol OrderingProtocol: Sendable {}
/// A term of ORDER BY whose direction can be chosen; ascending by default.
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

/// The terms of ORDER BY.
public enum Ordering {
    /// Returns a term for the values of a property, by its key path.
    public static func property(_ property: String) -> any QuerySortOrder { expression(Expression.property(property)) }
    /// Returns a term for the values of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        BuiltOrder(term: Tree.OrderTerm(expression.tree))
    }
}
