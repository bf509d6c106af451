internal import SealiteQueryLanguage

/// The start of a condition on the elements of an array: its quantifier, its variable and the array, without the
/// condition on an element.
public struct ArrayExpressionSatisfies: Sendable {
    let start: ArrayExpressionIn
    let array: any ExpressionProtocol

    /// Returns the whole condition on the array, from the condition that its elements must fulfil.
    public func satisfies(_ condition: any ExpressionProtocol) -> any ExpressionProtocol {
        switch start.variable {
        case .path(let path) where path.steps.isEmpty:
            BuiltExpression([array, condition]) {
                .quantified(Quantified(start.quantifier, path.root, in: $0[0], satisfies: $0[1]))
            }
        case .literal(.unusable): BuiltExpression(start.variable)
        default:
            BuiltExpression(
                .literal(.unusable("the variable of a condition on an array's elements isn't a name, such as \"x\"")))
        }
    }
}
