public import SealiteDatabase
internal import SealiteQueryLanguage

/// Factory methods of the query builder for data sources, from which a query reads documents.
public enum DataSource {
    /// Returns a collection as a data source, which has the collection's name as its alias.
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

/// A data source in the query builder: the documents that a query reads or joins.
public protocol DataSourceProtocol: Sendable {}

/// A data source of a query to which an alias can be given.
public protocol DataSourceAs: DataSourceProtocol {
    /// Returns the data source with an alias, by which expressions refer to it.
    func `as`(_ alias: String) -> any DataSourceProtocol
}

/// A query of the query builder that has a data source, to which joins can be added.
@safe
// Sendable: it has no property of its own.
public final class From: FilterableQuery, @unchecked Sendable {
    /// Returns the query with joins of its data source with other sources.
    public func join(_ joins: any JoinProtocol...) -> Joins { join(joins) }
    /// Returns the query with joins of its data source with other sources.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        Joins(with { $0.joins += joins.map { $0 as? BuiltJoin ?? BuiltJoin(kind: nil, source: nil) } })
    }
}

/// A query of the query builder that has joins.
@safe
// Sendable: it has no property of its own.
public final class Joins: FilterableQuery, @unchecked Sendable {}

/// Factory methods of the query builder for joins.
public enum Join {
    /// Returns an inner join with the given source: rows without a match in it are left out.
    public static func join(_ source: any DataSourceProtocol) -> any JoinOnProtocol { innerJoin(source) }
    /// Returns an inner join with the given source: rows without a match in it are left out.
    public static func innerJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.inner, source) }
    /// Returns a left outer join: rows without a match in the given source are kept.
    public static func leftJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.left, source) }
    /// Returns a left outer join: rows without a match in the given source are kept.
    public static func leftOuterJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.left, source) }
    /// Returns a right outer join: rows of the given source without a match are kept. It must be the first join of a
    /// query.
    public static func rightJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.right, source) }
    /// Returns a right outer join: rows of the given source without a match are kept. It must be the first join of a
    /// query.
    public static func rightOuterJoin(_ source: any DataSourceProtocol) -> any JoinOnProtocol { made(.right, source) }
    /// Returns a join of every row with every row of the given source.
    public static func crossJoin(_ source: any DataSourceProtocol) -> any JoinProtocol { made(nil, source) }

    private static func made(_ kind: Tree.Join.Kind?, _ source: any DataSourceProtocol) -> BuiltJoin {
        BuiltJoin(kind: kind, source: source as? DataSource.Built)
    }
}

/// A join of a query's source with another source.
public protocol JoinProtocol: Sendable {}

/// A join that can be given a condition; without one, each row matches each row of the joined source.
public protocol JoinOnProtocol: JoinProtocol {
    /// Returns the join with the condition that a pair of rows must fulfil to match.
    func on(_ condition: any ExpressionProtocol) -> any JoinProtocol
}

struct BuiltJoin: JoinOnProtocol {
    /// The kind of join; nil for a cross join.
    let kind: Tree.Join.Kind?
    /// The source that is joined; nil if the query builder didn't make the join or its source.
    let source: DataSource.Built?
    var condition: Tree.Expression = .literal(.boolean(true))

    func on(_ condition: any ExpressionProtocol) -> any JoinProtocol {
        BuiltJoin(kind: kind, source: source, condition: condition.tree)
    }

    /// Returns the syntax tree of the join.
    ///
    /// - Throws: `invalidQuery` if the query builder didn't make the join or its source.
    func tree() throws(DatabaseError) -> Tree.Join {
        guard let source else {
            throw DatabaseError(
                .invalidQuery,
                "a join of the query wasn't made by Join, or its source wasn't made by DataSource, but by another type")
        }
        return kind.map { .join($0, source.tree, on: condition) } ?? .cross(source.tree)
    }
}
