internal import SealiteQueryLanguage

/// A property or an expression whose values a value index contains, for `IndexBuilder`.
public struct ValueIndexItem: Sendable {
    let tree: Tree.Expression

    /// Returns a property as an item, given by its key path, such as `address.city`.
    public static func property(_ property: String) -> ValueIndexItem { ValueIndexItem(tree: KeyPath.tree(property)) }

    /// Returns an expression of the query builder as an item.
    public static func expression(_ expression: any ExpressionProtocol) -> ValueIndexItem {
        ValueIndexItem(tree: expression.tree)
    }
}
