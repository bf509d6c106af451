internal import SealiteQueryLanguage

/// A condition on the elements of an array without the condition itself.
public struct ArrayExpressionSatisfies: Sendable {
    let start: ArrayExpressionIn
    let array: Tree.Expression

    /// Returns the condition that the elements must fulfil.
    public func satisfies(_ condition: any ExpressionProtocol) -> any ExpressionProtocol {
        var name = ""
        if case .path(let path) = start.variable { name = path.root }
        return BuiltExpression(
            .quantified(Quantified(start.quantifier, name, in: array, satisfies: condition.tree)))
    }
}
