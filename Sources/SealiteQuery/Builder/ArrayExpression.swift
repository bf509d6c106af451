internal import SealiteQueryLanguage

/// Conditions over the elements of an array.
public enum ArrayExpression {
    /// Returns the variable for an element.
    public static func variable(_ name: String) -> any PropertyExpressionProtocol {
        BuiltExpression(KeyPath.tree(name))
    }
    /// Returns the start of a condition that at least one element must fulfil.
    public static func any(_ variable: any ExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .any, variable: variable.tree)
    }
    /// Returns the start of a condition that each element must fulfil.
    public static func every(_ variable: any ExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .every, variable: variable.tree)
    }
    /// Returns the start of a condition that each element must fulfil, and that requires at least one element.
    public static func anyAndEvery(_ variable: any ExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn(quantifier: .anyAndEvery, variable: variable.tree)
    }
}
