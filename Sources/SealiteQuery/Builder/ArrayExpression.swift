internal import SealiteQueryLanguage

/// Factory methods of the query builder for conditions over the elements of an array.
public enum ArrayExpression {
    /// Returns the variable with a name, which stands for an element of the array in a condition on its elements. In the
    /// condition, the name may be followed by the path to a part of the element: `contact.name`.
    public static func variable(_ name: String) -> PropertyExpression { PropertyExpression(KeyPathText.tree(name)) }
    /// Returns the start of a condition that at least one element of an array must fulfil. `variable` stands for the
    /// element.
    public static func any(_ variable: Expression) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .any, variable: variable.tree)
    }
    /// Returns the start of a condition that each element of an array must fulfil; true for an empty array. `variable`
    /// stands for the element.
    public static func every(_ variable: Expression) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .every, variable: variable.tree)
    }
    /// Returns the start of a condition that each element of an array must fulfil, and that is false for an empty
    /// array. `variable` stands for the element.
    public static func anyAndEvery(_ variable: Expression) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .anyAndEvery, variable: variable.tree)
    }
}

/// The start of a condition on the elements of an array: its quantifier and its variable, without the array.
public struct ArrayExpressionIn: Sendable {
    let quantifier: Quantified.Quantifier
    let variable: Tree.Expression

    /// Returns the start of the condition together with the array whose elements are tested.
    public func `in`(_ array: Expression) -> ArrayExpressionSatisfies {
        ArrayExpressionSatisfies(start: self, array: array)
    }
}

/// The start of a condition on the elements of an array: its quantifier, its variable and the array, without the
/// condition on an element.
public struct ArrayExpressionSatisfies: Sendable {
    let start: ArrayExpressionIn
    let array: Expression

    /// Returns the whole condition on the array, from the condition that its elements must fulfil.
    public func satisfies(_ condition: Expression) -> Expression {
        switch start.variable {
        case .path(let path) where path.steps.isEmpty:
            Expression([array, condition]) {
                .quantified(Quantified(start.quantifier, path.root, in: $0[0], satisfies: $0[1]))
            }
        case .literal(.unusable): Expression(start.variable)
        default:
            Expression(
                .literal(.unusable("the variable of a condition on an array's elements isn't a name, such as \"x\"")))
        }
    }
}
