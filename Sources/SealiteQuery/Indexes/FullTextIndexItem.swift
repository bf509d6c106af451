internal import SealiteQueryLanguage

/// A property whose words a full-text index contains, for `IndexBuilder`.
public struct FullTextIndexItem: Sendable {
    let tree: Tree.Expression

    /// Returns a property as an item, given by its key path, such as `address.city`.
    public static func property(_ property: String) -> FullTextIndexItem {
        FullTextIndexItem(tree: KeyPath.tree(property))
    }
}
