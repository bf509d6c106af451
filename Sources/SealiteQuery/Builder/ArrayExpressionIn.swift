internal import SealiteQueryLanguage

/// A condition on elements without its array.
public struct ArrayExpressionIn: Sendable {
    let quantifier: Quantified.Quantifier
    let variable: Tree.Expression

    /// Returns the condition with the array that contains the elements.
    public func `in`(_ array: any ExpressionProtocol) -> ArrayExpressionSatisfies {
        ArrayExpressionSatisfies(start: self, array: array.tree)
    }
}
