internal import SealiteQueryLanguage

extension ExpressionProtocol {
    private func with(_ op: BinaryOperator, _ other: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.operation(tree, op, other.tree))
    }

    /// Returns the product.
    public func multiply(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.multiply, other) }
    /// Returns the quotient; of two integers it is one.
    public func divide(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.divide, other) }
    /// Returns the remainder.
    public func modulo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.remainder, other) }
    /// Returns the sum.
    public func add(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.add, other) }
    /// Returns the difference.
    public func subtract(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.subtract, other) }
    /// Compares by `<`.
    public func lessThan(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.less, other) }
    /// Compares by `<=`.
    public func lessThanOrEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        with(.lessOrEqual, other)
    }
    /// Compares by `>`.
    public func greaterThan(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.greater, other) }
    /// Compares by `>=`.
    public func greaterThanOrEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        with(.greaterOrEqual, other)
    }
    /// Compares by `=`.
    public func equalTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.equal, other) }
    /// Compares by `!=`.
    public func notEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.notEqual, other) }
    /// Compares by IS.
    public func `is`(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.is, other) }
    /// Compares by IS NOT.
    public func isNot(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.isNot, other) }

    /// Returns whether the value is neither NULL nor MISSING.
    public func isValued() -> any ExpressionProtocol { BuiltExpression(.isValued(tree, isNegated: false)) }
    /// Returns whether the value is NULL or MISSING.
    public func isNotValued() -> any ExpressionProtocol { BuiltExpression(.isValued(tree, isNegated: true)) }

    /// Compares with a pattern: `%` is any text, `_` one character.
    public func like(_ pattern: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.like(Like(tree, pattern.tree)))
    }
    /// Searches for a regular expression.
    public func regex(_ pattern: any ExpressionProtocol) -> any ExpressionProtocol {
        Function.call("REGEXP_LIKE", self, pattern)
    }

    /// Returns the conjunction.
    public func and(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.and(tree, other.tree))
    }
    /// Returns the disjunction.
    public func or(_ other: any ExpressionProtocol) -> any ExpressionProtocol { BuiltExpression(.or(tree, other.tree)) }

    /// Returns whether the value is within two bounds, both included.
    public func between(
        _ lower: any ExpressionProtocol, and upper: any ExpressionProtocol
    ) -> any ExpressionProtocol { BuiltExpression(.between(Between(tree, lower.tree, upper.tree))) }

    /// Returns whether the value is one of those of a list.
    public func `in`(_ list: [any ExpressionProtocol]) -> any ExpressionProtocol {
        BuiltExpression(.membership(Membership(tree, .list(list.map(\.tree)))))
    }

    /// Returns the expression with its strings compared under a collation.
    public func collate(_ collation: any CollationProtocol) -> any ExpressionProtocol {
        BuiltExpression(.collate(tree, (collation as? any BuiltCollation)?.tree ?? Tree.Collation()))
    }
}

/// A collation of the query builder.
public protocol CollationProtocol: Sendable {}

/// A collation with the tree that it stands for.
protocol BuiltCollation: CollationProtocol {
    var tree: Tree.Collation { get }
}

/// The collations.
public enum Collation {
    /// The comparison of bytes.
    public static func ascii() -> ASCII { ASCII(isCaseIgnored: false) }
    /// The Unicode collation algorithm.
    public static func unicode() -> Unicode { Unicode(isCaseIgnored: false, areAccentsIgnored: false, name: nil) }

    /// The comparison of bytes, or of bytes with the letters A to Z taken as a to z.
    public struct ASCII: BuiltCollation {
        fileprivate let isCaseIgnored: Bool
        var tree: Tree.Collation { Tree.Collation(caseSensitive: isCaseIgnored ? false : nil) }

        /// Returns the collation that ignores case, or doesn't.
        public func ignoreCase(_ ignores: Bool) -> ASCII { ASCII(isCaseIgnored: ignores) }
    }

    /// The Unicode collation algorithm.
    public struct Unicode: BuiltCollation {
        fileprivate let isCaseIgnored: Bool
        fileprivate let areAccentsIgnored: Bool
        fileprivate let name: String?

        var tree: Tree.Collation {
            Tree.Collation(
                unicode: true, caseSensitive: isCaseIgnored ? false : nil,
                diacriticSensitive: areAccentsIgnored ? false : nil, locale: name)
        }

        /// Returns the collation that ignores case, or doesn't.
        public func ignoreCase(_ ignores: Bool) -> Unicode {
            Unicode(isCaseIgnored: ignores, areAccentsIgnored: areAccentsIgnored, name: name)
        }
        /// Returns the collation that ignores diacritics, or doesn't.
        public func ignoreAccents(_ ignores: Bool) -> Unicode {
            Unicode(isCaseIgnored: isCaseIgnored, areAccentsIgnored: ignores, name: name)
        }
        /// Returns the collation of a locale, such as `sv`; nil is the root's.
        public func locale(_ locale: String?) -> Unicode {
            Unicode(isCaseIgnored: isCaseIgnored, areAccentsIgnored: areAccentsIgnored, name: locale)
        }
    }
}
