internal import SealiteQueryLanguage
internal import SealiteDatabase

/// Factory methods of the query builder for the results of SELECT, which become the columns of a query.
public enum SelectResult {
    /// Returns a property as a result, given by its key path.
    public static func property(_ property: String) -> any SelectResultAs { expression(Expression.property(property)) }
    /// Returns an expression as a result.
    public static func expression(_ expression: any ExpressionProtocol) -> any SelectResultAs {
        BuiltResult(expression: expression.tree, alias: nil)
    }
    /// Returns a result whose value is an object of all properties of a document.
    public static func all() -> any SelectResultFrom { BuiltResult(expression: .star([], .none), alias: nil) }
}
