/// Defines indexes with properties and expressions of the query builder.
public enum IndexBuilder {
    /// Returns an index over the values of the items, in their order.
    public static func valueIndex(items: ValueIndexItem...) -> any Index { valueIndex(items: items) }

    /// Returns an index over the values of the items, in their order.
    public static func valueIndex(items: [ValueIndexItem]) -> any Index {
        BuiltIndex(config: ValueIndexConfiguration(items.map(\.text)))
    }

    /// Returns an index over the words of the items.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex { fullTextIndex(items: items) }

    /// Returns an index over the words of the items.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex {
        FullTextIndex(config: FullTextIndexConfiguration(items.map(\.text)))
    }
}
