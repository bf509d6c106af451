internal import SealiteQueryLanguage
internal import SealiteDatabase

/// The terms of ORDER BY.
public enum Ordering {
    /// Returns a term for the values of a property, by its key path.
    public static func property(_ property: String) -> any QuerySortOrder { expression(Expression.property(property)) }
    /// Returns a term for the values of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        BuiltOrder(term: Tree.OrderTerm(expression.tree))
    }
}
