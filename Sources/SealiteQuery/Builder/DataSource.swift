public import SealiteDatabase
internal import SealiteQueryLanguage

/// A data source in the query builder: the documents that a query reads or joins.
@safe
// Sendable: its properties are immutable, and its subclass has none.
public class DataSource: @unchecked Sendable {
    let collection: SealiteDatabase.Collection
    let tree: Source

    fileprivate init(_ collection: SealiteDatabase.Collection, alias: String) {
        self.collection = collection
        tree = .collection(CollectionName(scope: collection.scopeName, collection.name), alias: alias)
    }

    /// Returns a collection as a data source, which has the collection's name as its alias.
    public static func collection(_ collection: SealiteDatabase.Collection) -> DataSourceAs {
        DataSourceAs(collection, alias: collection.name)
    }
}

/// A data source of a query to which an alias can be given.
@safe
// Sendable: it has no property of its own.
public final class DataSourceAs: DataSource, @unchecked Sendable {
    /// Returns the data source with an alias, by which expressions refer to it.
    public func `as`(_ alias: String) -> DataSource { DataSource(collection, alias: alias) }
}

/// A join of a query's source with another source.
@safe
// Sendable: its one property is immutable, and its subclass has none.
public class Join: @unchecked Sendable {
    let tree: Tree.Join

    fileprivate init(_ tree: Tree.Join) { self.tree = tree }

    /// Returns an inner join with the given source: rows without a match in it are left out.
    public static func join(_ source: DataSource) -> JoinOn { innerJoin(source) }
    /// Returns an inner join with the given source: rows without a match in it are left out.
    public static func innerJoin(_ source: DataSource) -> JoinOn { JoinOn(.inner, source) }
    /// Returns a left outer join: rows without a match in the given source are kept.
    public static func leftJoin(_ source: DataSource) -> JoinOn { JoinOn(.left, source) }
    /// Returns a left outer join: rows without a match in the given source are kept.
    public static func leftOuterJoin(_ source: DataSource) -> JoinOn { JoinOn(.left, source) }
    /// Returns a right outer join: rows of the given source without a match are kept. It must be the first join of a
    /// query.
    public static func rightJoin(_ source: DataSource) -> JoinOn { JoinOn(.right, source) }
    /// Returns a right outer join: rows of the given source without a match are kept. It must be the first join of a
    /// query.
    public static func rightOuterJoin(_ source: DataSource) -> JoinOn { JoinOn(.right, source) }
    /// Returns a join of every row with every row of the given source.
    public static func crossJoin(_ source: DataSource) -> Join { Join(.cross(source.tree)) }
}

/// A join that can be given a condition; without one, each row matches each row of the joined source.
@safe
// Sendable: it has no property of its own.
public final class JoinOn: Join, @unchecked Sendable {
    fileprivate convenience init(_ kind: Tree.Join.Kind, _ source: DataSource) {
        self.init(.join(kind, source.tree, on: .literal(.boolean(true))))
    }

    /// Returns the join with the condition that a pair of rows must fulfil to match.
    public func on(_ condition: Expression) -> Join {
        guard case .join(let kind, let source, _) = tree else { return self }
        return Join(.join(kind, source, on: condition.tree))
    }
}
