internal import SealiteQueryLanguage

/// Factory methods of the query builder for calls of functions on arrays.
public enum ArrayFunction {
    /// Returns an expression that says whether an array contains a value.
    public static func contains(
        _ expression: any ExpressionProtocol, value: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("ARRAY_CONTAINS", expression, value) }
    /// Returns an expression for the number of elements of an array.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Function.call("ARRAY_LENGTH", expression)
    }
}
