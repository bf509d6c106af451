internal import SealiteQueryLanguage

extension ExpressionProtocol {
    private func with(_ op: BinaryOperator, _ other: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.operation(tree, op, other.tree))
    }

    /// Returns the expression for the product of this expression and another one.
    public func multiply(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.multiply, other) }
    /// Returns the expression for the quotient of this expression and another one; the quotient of two integers is an
    /// integer.
    public func divide(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.divide, other) }
    /// Returns the expression for the remainder of the division of this expression by another one; of numbers with
    /// fractions, the remainder of their integer parts.
    public func modulo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.remainder, other) }
    /// Returns the expression for the sum of this expression and another one.
    public func add(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.add, other) }
    /// Returns the expression for this expression minus another one.
    public func subtract(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.subtract, other) }
    /// Returns the condition that this expression is less than another one: `<`.
    public func lessThan(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.less, other) }
    /// Returns the condition that this expression is less than or equal to another one: `<=`.
    public func lessThanOrEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        with(.lessOrEqual, other)
    }
    /// Returns the condition that this expression is greater than another one: `>`.
    public func greaterThan(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.greater, other) }
    /// Returns the condition that this expression is greater than or equal to another one: `>=`.
    public func greaterThanOrEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        with(.greaterOrEqual, other)
    }
    /// Returns the condition that this expression is equal to another one: `=`, whose result is MISSING if one of them
    /// is.
    public func equalTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.equal, other) }
    /// Returns the condition that this expression isn't equal to another one: `!=`, whose result is MISSING if one of
    /// them is.
    public func notEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.notEqual, other) }
    /// Returns the condition that this expression IS another one: like `=`, but MISSING equals itself and differs from
    /// any other value.
    public func `is`(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.is, other) }
    /// Returns the condition that this expression IS NOT another one, the negation of IS.
    public func isNot(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.isNot, other) }

    /// Returns a condition that the value is neither NULL nor MISSING.
    public func isValued() -> any ExpressionProtocol { BuiltExpression(.isValued(tree, isNegated: false)) }
    /// Returns a condition that the value is NULL or MISSING.
    public func isNotValued() -> any ExpressionProtocol { BuiltExpression(.isValued(tree, isNegated: true)) }

    /// Returns a condition that the whole value matches a pattern of LIKE: `%` matches any text, `_` one character, and
    /// a character after a backslash itself.
    public func like(_ pattern: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.like(Like(tree, pattern.tree)))
    }
    /// Returns a condition that the value contains a match of a regular expression.
    public func regex(_ pattern: any ExpressionProtocol) -> any ExpressionProtocol {
        Function.call("REGEXP_LIKE", self, pattern)
    }

    /// Returns the condition that both this condition and another one are true.
    public func and(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.and(tree, other.tree))
    }
    /// Returns the condition that this condition, another one or both are true.
    public func or(_ other: any ExpressionProtocol) -> any ExpressionProtocol { BuiltExpression(.or(tree, other.tree)) }

    /// Returns a condition that the value is within two bounds, inclusive.
    public func between(
        _ lower: any ExpressionProtocol, and upper: any ExpressionProtocol
    ) -> any ExpressionProtocol { BuiltExpression(.between(Between(tree, lower.tree, upper.tree))) }

    /// Returns a condition that the value equals an expression of a list.
    public func `in`(_ list: [any ExpressionProtocol]) -> any ExpressionProtocol {
        BuiltExpression(.membership(Membership(tree, .list(list.map(\.tree)))))
    }

    /// Returns the expression with a collation, by which the comparisons inside the expression compare strings and, if
    /// it is a term of ORDER BY, its values are ordered. A comparison of the returned expression with another one isn't
    /// affected: add the collation to the whole comparison.
    public func collate(_ collation: any CollationProtocol) -> any ExpressionProtocol {
        guard let collation = collation as? any BuiltCollation else {
            return BuiltExpression(.foreign("a collation", "Collation"))
        }
        return BuiltExpression(.collate(tree, collation.tree))
    }
}
