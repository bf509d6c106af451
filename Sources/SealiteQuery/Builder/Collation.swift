internal import SealiteQueryLanguage

/// A collation of the query builder: an order of strings.
@safe
// Sendable: its one property is immutable, and its subclasses have none.
public class Collation: @unchecked Sendable {
    let tree: Tree.Collation

    fileprivate init(_ tree: Tree.Collation) { self.tree = tree }

    /// Returns the collation that compares the bytes of strings in UTF-8.
    public static func ascii() -> ASCII { ASCII(Tree.Collation()) }
    /// Returns the collation that uses the Unicode collation algorithm.
    public static func unicode() -> Unicode { Unicode(Tree.Collation(unicode: true)) }

    fileprivate func with<Part>(_ part: WritableKeyPath<Tree.Collation, Part>, _ value: Part) -> Tree.Collation {
        var next = tree
        next[keyPath: part] = value
        return next
    }

    /// The collation that compares the bytes of strings in UTF-8, optionally with A to Z treated as a to z.
    @safe
    // Sendable: it has no property of its own.
    public final class ASCII: Collation, @unchecked Sendable {
        /// Returns the collation that treats the letters A to Z as a to z if `ignores` is true, and as different
        /// letters if it is false.
        public func ignoreCase(_ ignores: Bool) -> ASCII { ASCII(with(\.caseSensitive, ignores ? false : nil)) }
    }

    /// A collation that uses the Unicode collation algorithm.
    @safe
    // Sendable: it has no property of its own.
    public final class Unicode: Collation, @unchecked Sendable {
        /// Returns the collation that ignores differences of case if `ignores` is true, and that distinguishes them if
        /// it is false.
        public func ignoreCase(_ ignores: Bool) -> Unicode { Unicode(with(\.caseSensitive, ignores ? false : nil)) }
        /// Returns the collation that ignores differences of diacritics if `ignores` is true, and that distinguishes
        /// them if it is false.
        public func ignoreAccents(_ ignores: Bool) -> Unicode {
            Unicode(with(\.diacriticSensitive, ignores ? false : nil))
        }
        /// Returns the collation of a locale, such as `sv`; nil selects the root locale.
        public func locale(_ locale: String?) -> Unicode { Unicode(with(\.locale, locale)) }
    }
}
