internal import SealiteQueryLanguage
internal import SealiteDatabase

/// Factory methods of the query builder for the terms of ORDER BY.
public enum Ordering {
    /// Returns a term that orders rows by the values of a property, given by its key path.
    public static func property(_ property: String) -> any QuerySortOrder { expression(Expression.property(property)) }
    /// Returns a term that orders rows by the values of an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        BuiltOrder(term: Tree.OrderTerm(expression.tree))
    }
}
