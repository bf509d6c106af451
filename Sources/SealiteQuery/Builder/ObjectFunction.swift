internal import SealiteQueryLanguage

/// Factory methods of the query builder for calls of functions on objects. Where the documentation says that a method
/// returns an object, it returns the expression for this object.
public enum ObjectFunction {
    /// Returns the object with a value as the member of a name, which replaces the member of that name; without that
    /// member if the value is MISSING.
    public static func put(
        _ object: any ExpressionProtocol, name: any ExpressionProtocol, value: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("OBJECT_PUT", object, name, value) }
    /// Returns the object without the member of a name.
    public static func remove(
        _ object: any ExpressionProtocol, name: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("OBJECT_REMOVE", object, name) }
    /// Returns an object of the members of two objects; if both have a member of a name, that of the second.
    public static func concat(
        _ first: any ExpressionProtocol, _ second: any ExpressionProtocol
    ) -> any ExpressionProtocol { Function.call("OBJECT_CONCAT", first, second) }
}
