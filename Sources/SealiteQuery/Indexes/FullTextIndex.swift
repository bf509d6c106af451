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
