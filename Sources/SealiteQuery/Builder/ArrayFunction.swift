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
    /// Returns an array of the elements of two arrays, those of the first one first.
    public static func concat(
        _ first: any ExpressionProtocol, _ second: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("ARRAY_CONCAT", first, second) }
    /// Returns the array with its elements in reverse order.
    public static func reverse(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        Function.call("ARRAY_REVERSE", expression)
    }
    /// Returns the position of the first element of an array that equals a value, from 0; -1 if there is none.
    public static func position(
        _ expression: any ExpressionProtocol, value: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("ARRAY_POSITION", expression, value) }
    /// Returns an array of the distinct elements of two arrays.
    public static func union(
        _ first: any ExpressionProtocol, _ second: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("ARRAY_UNION", first, second) }
    /// Returns an array of the distinct elements that are in both of two arrays.
    public static func intersect(
        _ first: any ExpressionProtocol, _ second: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("ARRAY_INTERSECT", first, second) }
}
