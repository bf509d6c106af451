internal import SealiteQueryLanguage

/// Factory methods of the query builder for collations, the orders of strings.
public enum Collation {
    /// Returns the collation that compares the bytes of strings in UTF-8.
    public static func ascii() -> ASCII { ASCII(isCaseIgnored: false) }
    /// Returns the collation that uses the Unicode collation algorithm.
    public static func unicode() -> Unicode { Unicode(isCaseIgnored: false, areAccentsIgnored: false, name: nil) }

    /// The collation that compares the bytes of strings in UTF-8, optionally with A to Z treated as a to z.
    public struct ASCII: BuiltCollation {
        fileprivate let isCaseIgnored: Bool
        var tree: Tree.Collation { Tree.Collation(caseSensitive: isCaseIgnored ? false : nil) }

        /// Returns the collation that treats the letters A to Z as a to z if `ignores` is true, and as different
        /// letters if it is false.
        public func ignoreCase(_ ignores: Bool) -> ASCII { ASCII(isCaseIgnored: ignores) }
    }

    /// A collation that uses the Unicode collation algorithm.
    public struct Unicode: BuiltCollation {
        fileprivate let isCaseIgnored: Bool
        fileprivate let areAccentsIgnored: Bool
        fileprivate let name: String?

        var tree: Tree.Collation {
            Tree.Collation(
                unicode: true, caseSensitive: isCaseIgnored ? false : nil,
                diacriticSensitive: areAccentsIgnored ? false : nil, locale: name)
        }

        /// Returns the collation that ignores differences of case if `ignores` is true, and that distinguishes them if
        /// it is false.
        public func ignoreCase(_ ignores: Bool) -> Unicode {
            Unicode(isCaseIgnored: ignores, areAccentsIgnored: areAccentsIgnored, name: name)
        }
        /// Returns the collation that ignores differences of diacritics if `ignores` is true, and that distinguishes
        /// them if it is false.
        public func ignoreAccents(_ ignores: Bool) -> Unicode {
            Unicode(isCaseIgnored: isCaseIgnored, areAccentsIgnored: ignores, name: name)
        }
        /// Returns the collation of a locale, such as `sv`; nil selects the root locale.
        public func locale(_ locale: String?) -> Unicode {
            Unicode(isCaseIgnored: isCaseIgnored, areAccentsIgnored: areAccentsIgnored, name: locale)
        }
    }
}

/// A collation of the query builder.
public protocol CollationProtocol: Sendable {}

/// A collation of the query builder with its syntax tree.
protocol BuiltCollation: CollationProtocol {
    var tree: Tree.Collation { get }
}
