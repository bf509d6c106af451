internal import SealiteDatabase
internal import SealiteQueryLanguage

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

/// A result of SELECT in the query builder, which becomes a column of the query.
public protocol SelectResultProtocol: Sendable {}

/// A result of SELECT in the query builder with all properties of a document, optionally one of a named data source.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Returns the result with all properties of a document of the data source with an alias; nil for the query's only
    /// source.
    func from(_ alias: String?) -> any SelectResultProtocol
}

/// A result of SELECT in the query builder, to which a column name can be given.
public protocol SelectResultAs: SelectResultProtocol {
    /// Returns the result with a column name; nil for the name that is derived from its expression.
    func `as`(_ alias: String?) -> any SelectResultProtocol
}

struct BuiltResult: SelectResultAs, SelectResultFrom {
    let expression: Tree.Expression
    let alias: String?

    func `as`(_ alias: String?) -> any SelectResultProtocol { BuiltResult(expression: expression, alias: alias) }
    func from(_ alias: String?) -> any SelectResultProtocol {
        BuiltResult(expression: .star(alias.map { [$0] } ?? [], .none), alias: nil)
    }
}
