internal import SealiteQueryLanguage

/// The start of a condition on the elements of an array: its quantifier, its variable and the array, without the
/// condition on an element.
public struct ArrayExpressionSatisfies: Sendable {
    let start: ArrayExpressionIn
    let array: Tree.Expression

    /// Returns the whole condition on the array, from the condition that its elements must fulfil.
    public func satisfies(_ condition: any ExpressionProtocol) -> any ExpressionProtocol {
        var name = ""
        switch start.variable {
        case .path(let path): name = path.root
        case .literal(.unusable): return BuiltExpression(start.variable)
        default: break
        }
        return BuiltExpression(
            .quantified(Quantified(start.quantifier, name, in: array, satisfies: condition.tree)))
    }
}
