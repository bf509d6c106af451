internal import SealiteQueryLanguage

/// A result of SELECT in the query builder, which becomes a column of the query.
@safe
// Sendable: its one property is immutable, and its subclasses have none.
public class SelectResult: @unchecked Sendable {
    let column: Tree.ResultColumn

    init(_ expression: Tree.Expression, as alias: String? = nil) {
        column = Tree.ResultColumn(expression, as: alias)
    }

    /// Returns a property as a result, given by its key path.
    public static func property(_ property: String) -> SelectResultAs { expression(Expression.property(property)) }
    /// Returns an expression as a result.
    public static func expression(_ expression: Expression) -> SelectResultAs { SelectResultAs(expression.tree) }
    /// Returns a result whose value is an object of all properties of a document.
    public static func all() -> SelectResultFrom { SelectResultFrom(.star([], .none)) }
}

/// A result of SELECT in the query builder with all properties of a document, optionally one of a named data source.
@safe
// Sendable: it has no property of its own.
public final class SelectResultFrom: SelectResult, @unchecked Sendable {
    /// Returns the result with all properties of a document of the data source with an alias; nil for the query's only
    /// source.
    public func from(_ alias: String?) -> SelectResult { SelectResult(.star(alias.map { [$0] } ?? [], .none)) }
}

/// A result of SELECT in the query builder, to which a column name can be given.
@safe
// Sendable: it has no property of its own.
public final class SelectResultAs: SelectResult, @unchecked Sendable {
    /// Returns the result with a column name; nil for the name that is derived from its expression.
    public func `as`(_ alias: String?) -> SelectResult { SelectResult(column.expression, as: alias) }
}
