internal import SealiteQueryLanguage

/// Defines indexes with properties and expressions of the query builder.
public enum IndexBuilder {
    /// Returns the definition of an index over the values of the items, in their order.
    public static func valueIndex(items: ValueIndexItem...) -> any Index { valueIndex(items: items) }

    /// Returns the definition of an index over the values of the items, in their order.
    public static func valueIndex(items: [ValueIndexItem]) -> any Index {
        BuiltIndex(
            config: ValueIndexConfiguration(items.map { "\($0.tree)" }), failure: failure(of: items.map(\.tree)))
    }

    /// Returns the definition of a full-text index over the words of the items.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex { fullTextIndex(items: items) }

    /// Returns the definition of a full-text index over the words of the items.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex {
        FullTextIndex(
            config: FullTextIndexConfiguration(items.map { "\($0.tree)" }), failure: failure(of: items.map(\.tree)))
    }

    /// Returns the reason why an index can't contain one of the expressions; nil if none is known.
    private static func failure(of trees: [Tree.Expression]) -> String? {
        trees.lazy.compactMap(\.unusableReason).first
    }
}
