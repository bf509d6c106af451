internal import SealiteQueryLanguage

/// The functions of arrays.
public enum ArrayFunction {
    /// Returns whether an array contains a value.
    public static func contains(
        _ expression: any ExpressionProtocol, value: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("ARRAY_CONTAINS", expression, value) }
    /// Returns the number of elements of an array.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Function.call("ARRAY_LENGTH", expression)
    }
}
