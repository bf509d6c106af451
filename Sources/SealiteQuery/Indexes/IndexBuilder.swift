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

/// The definition of an index, made with `IndexBuilder`.
public protocol Index: Sendable {}

struct BuiltIndex: Index {
    let config: ValueIndexConfiguration
    /// The reason why an item can't be in an index, a malformed key path or an unusable value; nil if there is none.
    let failure: String?
}

/// The definition of a full-text index, made with `IndexBuilder`.
public struct FullTextIndex: Index {
    var config: FullTextIndexConfiguration
    /// The reason why an item can't be in an index, a malformed key path; nil if there is none.
    let failure: String?

    /// Returns the definition of an index that treats letters with and without accents as the same if `ignoreAccents`
    /// is true, and as different if it is false.
    public func ignoreAccents(_ ignoreAccents: Bool) -> FullTextIndex {
        var next = self
        next.config.ignoreAccents = ignoreAccents
        return next
    }

    /// Returns the definition of an index that reduces words to their stems by the rules of a language, given by its
    /// code or its English name; nil for no stemming.
    public func language(_ language: String?) -> FullTextIndex {
        var next = self
        next.config.language = language
        return next
    }
}

/// A property or an expression whose values a value index contains, for `IndexBuilder`.
public struct ValueIndexItem: Sendable {
    let tree: Tree.Expression

    /// Returns a property as an item, given by its key path, such as `address.city`.
    public static func property(_ property: String) -> ValueIndexItem { ValueIndexItem(tree: KeyPath.tree(property)) }

    /// Returns an expression of the query builder as an item.
    public static func expression(_ expression: Expression) -> ValueIndexItem { ValueIndexItem(tree: expression.tree) }
}

/// A property whose words a full-text index contains, for `IndexBuilder`.
public struct FullTextIndexItem: Sendable {
    let tree: Tree.Expression

    /// Returns a property as an item, given by its key path, such as `address.city`.
    public static func property(_ property: String) -> FullTextIndexItem {
        FullTextIndexItem(tree: KeyPath.tree(property))
    }
}
