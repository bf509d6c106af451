/// A string comparison; nil properties have default values.
package struct Collation: Sendable, Equatable {
    /// A Boolean value that says whether the Unicode collation algorithm is used; by default, bytes are compared.
    package var unicode: Bool?
    /// A Boolean value that says whether case matters; by default it does.
    package var caseSensitive: Bool?
    /// A Boolean value that says whether diacritics matter; by default they do.
    package var diacriticSensitive: Bool?
    /// The locale of the Unicode collation, such as `sv`.
    package var locale: String?

    package init(
        unicode: Bool? = nil, caseSensitive: Bool? = nil, diacriticSensitive: Bool? = nil, locale: String? = nil
    ) {
        self.unicode = unicode
        self.caseSensitive = caseSensitive
        self.diacriticSensitive = diacriticSensitive
        self.locale = locale
    }
}
