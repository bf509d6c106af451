internal import SealiteQueryLanguage
internal import SealiteDatabase

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
