internal import SealiteQueryLanguage
public import SealiteDatabase

/// The parts of a query that the builder has been given.
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

    /// The query as text, and its database.
    ///
    /// - Throws: `invalidQuery` where there is no data source.
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

/// A result of SELECT that the builder has made.
public protocol SelectResultProtocol: Sendable {}
/// A result that may get an alias.
public protocol SelectResultAs: SelectResultProtocol {
    /// Gives the column a name.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}
/// A result of all properties, which may be those of a named data source.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Returns all properties of the data source of an alias.
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
    /// A property by its key path.
    public static func property(_ property: String) -> any SelectResultAs { expression(Expression.property(property)) }
    /// An expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any SelectResultAs {
        BuiltResult(expression: expression.tree, alias: nil)
    }
    /// All properties as one object.
    public static func all() -> any SelectResultFrom { BuiltResult(expression: .star([], .none), alias: nil) }
}

/// The place that documents come from.
public protocol DataSourceProtocol: Sendable {}
/// A data source that may get an alias.
public protocol DataSourceAs: DataSourceProtocol {
    /// Gives the data source a name.
    func `as`(_ alias: String) -> any DataSourceProtocol
}

/// The data sources.
public enum DataSource {
    /// A collection.
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
/// A join that lacks its condition.
public protocol JoinOnProtocol: JoinProtocol {
    /// Says which rows belong together.
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
    /// An inner join.
    public static func join(_ source: any DataSourceProtocol) -> any JoinOnProtocol { innerJoin(source) }
    /// An inner join.
    public static func innerJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.inner, source) }
    /// An outer join: rows of the first source stay without a partner.
    public static func leftJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.left, source) }
    /// An outer join: rows of the first source stay without a partner.
    public static func leftOuterJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.left, source) }
    /// Every row of one source with every row of the other.
    public static func crossJoin(_ source: any DataSourceProtocol) -> any JoinProtocol { made(nil, source) }

    private static func made(_ kind: Tree.Join.Kind?, _ source: any DataSourceProtocol) -> BuiltJoin {
        guard let source = source as? DataSource.Built else { preconditionFailure("a data source of another module") }
        return BuiltJoin(kind: kind, source: source)
    }
}

/// A term of ORDER BY.
public protocol OrderingProtocol: Sendable {}
/// A term of ORDER BY whose direction may be chosen; ascending without a choice.
public protocol QuerySortOrder: OrderingProtocol {
    /// From the first value in the order of values.
    func ascending() -> any OrderingProtocol
    /// From the last value in the order of values.
    func descending() -> any OrderingProtocol
}

struct BuiltOrder: QuerySortOrder {
    let term: Tree.OrderTerm

    func ascending() -> any OrderingProtocol { BuiltOrder(term: Tree.OrderTerm(term.expression, .ascending)) }
    func descending() -> any OrderingProtocol { BuiltOrder(term: Tree.OrderTerm(term.expression, .descending)) }
}

/// The terms of ORDER BY.
public enum Ordering {
    /// The values of a property by its key path.
    public static func property(_ property: String) -> any QuerySortOrder { expression(Expression.property(property)) }
    /// The values of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        BuiltOrder(term: Tree.OrderTerm(expression.tree))
    }
}
