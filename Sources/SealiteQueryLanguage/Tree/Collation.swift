/// The rules of a COLLATE by which strings are compared; nil properties stand for defaults.
package struct Collation: Sendable, Equatable {
    /// A Boolean value that says whether strings are compared by the Unicode collation algorithm; nil and false stand
    /// for a comparison of bytes.
    package var unicode: Bool?
    /// A Boolean value that says whether differences of case matter; nil stands for true. If strings are compared by
    /// bytes, false ignores only the case of A to Z.
    package var caseSensitive: Bool?
    /// A Boolean value that says whether differences of diacritics matter; nil stands for true. It has no effect unless
    /// `unicode` is true.
    package var diacriticSensitive: Bool?
    /// The locale of the Unicode collation, such as `sv`; nil for the root locale. It has no effect unless `unicode` is
    /// true.
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
