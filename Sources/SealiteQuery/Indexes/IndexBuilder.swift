internal import SealiteQueryLanguage

/// Defines indexes with properties and expressions of the query builder.
public enum IndexBuilder {
    /// Returns the definition of an index over the values of the items, in their order.
    public static func valueIndex(items: ValueIndexItem...) -> Index { valueIndex(items: items) }

    /// Returns the definition of an index over the values of the items, in their order.
    public static func valueIndex(items: [ValueIndexItem]) -> Index {
        let trees = items.map(\.tree)
        return Index(ValueIndexConfiguration(trees.map { "\($0)" }), failure: failure(of: trees))
    }

    /// Returns the definition of a full-text index over the words of the items.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex { fullTextIndex(items: items) }

    /// Returns the definition of a full-text index over the words of the items.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex {
        let trees = items.map(\.tree)
        return FullTextIndex(words: FullTextIndexConfiguration(trees.map { "\($0)" }), failure: failure(of: trees))
    }

    /// Returns the reason why an index can't contain one of the expressions; nil if none is known.
    private static func failure(of trees: [Tree.Expression]) -> String? {
        trees.lazy.compactMap(\.unusableReason).first
    }
}

/// The definition of an index, made with `IndexBuilder`.
@safe
// Sendable: its properties are immutable, as is that of its subclass.
public class Index: @unchecked Sendable {
    let config: any IndexConfiguration
    /// The reason why an item can't be in an index, a malformed key path or an unusable value; nil if there is none.
    let failure: String?

    fileprivate init(_ config: any IndexConfiguration, failure: String?) {
        (self.config, self.failure) = (config, failure)
    }
}

/// The definition of a full-text index, made with `IndexBuilder`.
@safe
// Sendable: its property is immutable.
public final class FullTextIndex: Index, @unchecked Sendable {
    private let words: FullTextIndexConfiguration

    fileprivate init(words: FullTextIndexConfiguration, failure: String?) {
        self.words = words
        super.init(words, failure: failure)
    }

    /// Returns the definition of an index that treats letters with and without accents as the same if `ignoreAccents`
    /// is true, and as different if it is false.
    public func ignoreAccents(_ ignoreAccents: Bool) -> FullTextIndex { with { $0.ignoreAccents = ignoreAccents } }

    /// Returns the definition of an index that reduces words to their stems by the rules of a language, given by its
    /// code or its English name; nil for no stemming.
    public func language(_ language: String?) -> FullTextIndex { with { $0.language = language } }

    private func with(_ change: (inout FullTextIndexConfiguration) -> Void) -> FullTextIndex {
        var words = words
        change(&words)
        return FullTextIndex(words: words, failure: failure)
    }
}

/// A property or an expression whose values a value index contains, for `IndexBuilder`.
public struct ValueIndexItem: Sendable {
    let tree: Tree.Expression

    /// Returns a property as an item, given by its key path, such as `address.city`.
    public static func property(_ property: String) -> ValueIndexItem {
        ValueIndexItem(tree: KeyPathText.tree(property))
    }

    /// Returns an expression of the query builder as an item.
    public static func expression(_ expression: Expression) -> ValueIndexItem { ValueIndexItem(tree: expression.tree) }
}

/// A property whose words a full-text index contains, for `IndexBuilder`.
public struct FullTextIndexItem: Sendable {
    let tree: Tree.Expression

    /// Returns a property as an item, given by its key path, such as `address.city`.
    public static func property(_ property: String) -> FullTextIndexItem {
        FullTextIndexItem(tree: KeyPathText.tree(property))
    }
}
