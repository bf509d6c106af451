/// A property whose words a full-text index contains, for `IndexBuilder`.
public struct FullTextIndexItem: Sendable {
    let text: String

    /// Returns a property as an item, given by its key path, such as `address.city`.
    public static func property(_ property: String) -> FullTextIndexItem {
        FullTextIndexItem(text: KeyPath.text(property))
    }
}
