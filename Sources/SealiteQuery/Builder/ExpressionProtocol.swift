internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An expression of the query builder. Its methods return larger expressions. Parentheses aren't needed, because each
/// call is one operation.
public protocol ExpressionProtocol: Sendable {}

extension ExpressionProtocol {
    /// The syntax tree of the expression.
    var tree: Tree.Expression {
        (self as? BuiltExpression)?.tree ?? .foreign("an expression", "the types of the query builder")
    }

    /// The number of levels on which operands are nested in each other.
    var depth: Int { (self as? BuiltExpression)?.depth ?? 1 }
}
