internal import SealiteQueryLanguage
internal import SealiteDatabase

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
