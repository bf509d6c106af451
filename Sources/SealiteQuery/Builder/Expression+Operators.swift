internal import SealiteQueryLanguage

extension ExpressionProtocol {
    private func with(_ op: BinaryOperator, _ other: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.operation(tree, op, other.tree))
    }

    /// Returns the product of two expressions.
    public func multiply(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.multiply, other) }
    /// Returns the quotient of two expressions; the quotient of two integers is an integer.
    public func divide(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.divide, other) }
    /// Returns the remainder of a division of two expressions.
    public func modulo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.remainder, other) }
    /// Returns the sum of two expressions.
    public func add(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.add, other) }
    /// Returns the difference of two expressions.
    public func subtract(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.subtract, other) }
    /// Returns the comparison `<`.
    public func lessThan(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.less, other) }
    /// Returns the comparison `<=`.
    public func lessThanOrEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        with(.lessOrEqual, other)
    }
    /// Returns the comparison `>`.
    public func greaterThan(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.greater, other) }
    /// Returns the comparison `>=`.
    public func greaterThanOrEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        with(.greaterOrEqual, other)
    }
    /// Returns the comparison `=`.
    public func equalTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.equal, other) }
    /// Returns the comparison `!=`.
    public func notEqualTo(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.notEqual, other) }
    /// Returns the comparison IS.
    public func `is`(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.is, other) }
    /// Returns the comparison IS NOT.
    public func isNot(_ other: any ExpressionProtocol) -> any ExpressionProtocol { with(.isNot, other) }

    /// Returns a condition that the value is neither NULL nor MISSING.
    public func isValued() -> any ExpressionProtocol { BuiltExpression(.isValued(tree, isNegated: false)) }
    /// Returns a condition that the value is NULL or MISSING.
    public func isNotValued() -> any ExpressionProtocol { BuiltExpression(.isValued(tree, isNegated: true)) }

    /// Returns a comparison with a pattern: `%` matches any text, `_` one character.
    public func like(_ pattern: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.like(Like(tree, pattern.tree)))
    }
    /// Returns a condition that the value contains a match of a regular expression.
    public func regex(_ pattern: any ExpressionProtocol) -> any ExpressionProtocol {
        Function.call("REGEXP_LIKE", self, pattern)
    }

    /// Returns the conjunction of two conditions.
    public func and(_ other: any ExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression(.and(tree, other.tree))
    }
    /// Returns the disjunction of two conditions.
    public func or(_ other: any ExpressionProtocol) -> any ExpressionProtocol { BuiltExpression(.or(tree, other.tree)) }

    /// Returns a condition that the value is within two bounds, inclusive.
    public func between(
        _ lower: any ExpressionProtocol, and upper: any ExpressionProtocol
    ) -> any ExpressionProtocol { BuiltExpression(.between(Between(tree, lower.tree, upper.tree))) }

    /// Returns a condition that the value is in a list.
    public func `in`(_ list: [any ExpressionProtocol]) -> any ExpressionProtocol {
        BuiltExpression(.membership(Membership(tree, .list(list.map(\.tree)))))
    }

    /// Returns the expression with a collation, by which comparisons compare its strings.
    public func collate(_ collation: any CollationProtocol) -> any ExpressionProtocol {
        BuiltExpression(.collate(tree, (collation as? any BuiltCollation)?.tree ?? Tree.Collation()))
    }
}
