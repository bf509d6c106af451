/// A full-text index that was defined with the builder.
public struct FullTextIndex: Index {
    var config: FullTextIndexConfiguration

    /// Returns the index with letters with and without accents treated as the same if `ignoreAccents` is true, and as
    /// different if it is false.
    public func ignoreAccents(_ ignoreAccents: Bool) -> FullTextIndex {
        var next = self
        next.config.ignoreAccents = ignoreAccents
        return next
    }

    /// Returns the index with a language for stemming; nil for no stemming.
    public func language(_ language: String?) -> FullTextIndex {
        var next = self
        next.config.language = language
        return next
    }
}
