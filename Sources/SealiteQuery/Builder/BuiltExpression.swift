internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression of the query builder with its syntax tree.
struct BuiltExpression: PropertyExpressionProtocol, MetaExpressionProtocol {
    let tree: Tree.Expression

    init(_ tree: Tree.Expression) { self.tree = tree }

    func from(_ alias: String) -> any ExpressionProtocol {
        switch tree {
        case .path(let path): BuiltExpression(.path(Tree.Path(alias, [.name(path.root)] + path.steps)))
        case .property(.meta, let steps): BuiltExpression(.property(.meta([alias], .none), steps))
        case .star: BuiltExpression(.star([alias], .none))
        default: self
        }
    }
}
