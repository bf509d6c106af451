internal import SealiteQueryLanguage
internal import SealiteDatabase

/// The results of SELECT.
public enum SelectResult {
    /// Returns a property by its key path.
    public static func property(_ property: String) -> any SelectResultAs { expression(Expression.property(property)) }
    /// Returns an expression as a result.
    public static func expression(_ expression: any ExpressionProtocol) -> any SelectResultAs {
        BuiltResult(expression: expression.tree, alias: nil)
    }
    /// Returns a result with all properties of a document as one object.
    public static func all() -> any SelectResultFrom { BuiltResult(expression: .star([], .none), alias: nil) }
}
