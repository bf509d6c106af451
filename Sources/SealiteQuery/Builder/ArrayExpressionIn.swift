internal import SealiteQueryLanguage

/// The start of a condition on the elements of an array: its quantifier and its variable, without the array.
public struct ArrayExpressionIn: Sendable {
    let quantifier: Quantified.Quantifier
    let variable: Tree.Expression

    /// Returns the start of the condition together with the array whose elements are tested.
    public func `in`(_ array: any ExpressionProtocol) -> ArrayExpressionSatisfies {
        ArrayExpressionSatisfies(start: self, array: array)
    }
}
