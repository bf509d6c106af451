internal import SealiteQueryLanguage

/// Factory methods of the query builder for conditions over the elements of an array.
public enum ArrayExpression {
    /// Returns the variable with a name, which stands for an element of the array in a condition on its elements. In the
    /// condition, the name may be followed by the path to a part of the element: `contact.name`.
    public static func variable(_ name: String) -> any PropertyExpressionProtocol {
        BuiltExpression(KeyPath.tree(name))
    }
    /// Returns the start of a condition that at least one element of an array must fulfil. `variable` stands for the
    /// element.
    public static func any(_ variable: any ExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .any, variable: variable.tree)
    }
    /// Returns the start of a condition that each element of an array must fulfil; true for an empty array. `variable`
    /// stands for the element.
    public static func every(_ variable: any ExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .every, variable: variable.tree)
    }
    /// Returns the start of a condition that each element of an array must fulfil, and that is false for an empty
    /// array. `variable` stands for the element.
    public static func anyAndEvery(_ variable: any ExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .anyAndEvery, variable: variable.tree)
    }
}
