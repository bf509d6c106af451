internal import SealiteQueryLanguage
internal import SealiteDatabase

struct BuiltJoin: JoinOnProtocol {
    /// The kind of join; nil for a cross join.
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
