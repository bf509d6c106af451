internal import SealiteQueryLanguage

extension Expression {
    private func with(_ op: BinaryOperator, _ other: Expression) -> Expression {
        Expression([self, other]) { .operation($0[0], op, $0[1]) }
    }

    private func compared(_ op: BinaryOperator, _ other: Expression) -> Expression {
        comparison(with: [other]) { .operation($0[0], op, $0[1]) }
    }

    /// Returns a comparison of this expression with others, whose syntax tree `make` returns from those of all of them.
    /// The comparison has the collation of the first one that has a collation.
    private func comparison(with others: [Expression], _ make: ([Tree.Expression]) -> Tree.Expression) -> Expression {
        Expression([self] + others) { trees in
            let operands = trees.map(\.withoutOwnCollation)
            let tree = make(operands.map(\.operand))
            guard let collation = operands.lazy.compactMap(\.collation).first else { return tree }
            return .collate(tree, collation)
        }
    }

    /// Returns the expression for the product of this expression and another one.
    public func multiply(_ other: Expression) -> Expression { with(.multiply, other) }
    /// Returns the expression for the quotient of this expression and another one; the quotient of two integers is an
    /// integer.
    public func divide(_ other: Expression) -> Expression { with(.divide, other) }
    /// Returns the expression for the remainder of the division of this expression by another one; of numbers with
    /// fractions, the remainder of their integer parts.
    public func modulo(_ other: Expression) -> Expression { with(.remainder, other) }
    /// Returns the expression for the sum of this expression and another one.
    public func add(_ other: Expression) -> Expression { with(.add, other) }
    /// Returns the expression for this expression minus another one.
    public func subtract(_ other: Expression) -> Expression { with(.subtract, other) }
    /// Returns the condition that this expression is less than another one: `<`.
    public func lessThan(_ other: Expression) -> Expression { compared(.less, other) }
    /// Returns the condition that this expression is less than or equal to another one: `<=`.
    public func lessThanOrEqualTo(_ other: Expression) -> Expression { compared(.lessOrEqual, other) }
    /// Returns the condition that this expression is greater than another one: `>`.
    public func greaterThan(_ other: Expression) -> Expression { compared(.greater, other) }
    /// Returns the condition that this expression is greater than or equal to another one: `>=`.
    public func greaterThanOrEqualTo(_ other: Expression) -> Expression { compared(.greaterOrEqual, other) }
    /// Returns the condition that this expression is equal to another one: `=`, whose result is MISSING if one of them
    /// is.
    public func equalTo(_ other: Expression) -> Expression { compared(.equal, other) }
    /// Returns the condition that this expression isn't equal to another one: `!=`, whose result is MISSING if one of
    /// them is.
    public func notEqualTo(_ other: Expression) -> Expression { compared(.notEqual, other) }
    /// Returns the condition that this expression IS another one: like `=`, but MISSING equals itself and differs from
    /// any other value.
    public func `is`(_ other: Expression) -> Expression { compared(.is, other) }
    /// Returns the condition that this expression IS NOT another one, the negation of IS.
    public func isNot(_ other: Expression) -> Expression { compared(.isNot, other) }

    /// Returns a condition that the value is neither NULL nor MISSING.
    public func isValued() -> Expression { Expression([self]) { .isValued($0[0], isNegated: false) } }
    /// Returns a condition that the value is NULL or MISSING.
    public func isNotValued() -> Expression { Expression([self]) { .isValued($0[0], isNegated: true) } }

    /// Returns a condition that the whole value matches a pattern of LIKE: `%` matches any text, `_` one character, and
    /// a character after a backslash itself.
    public func like(_ pattern: Expression) -> Expression { comparison(with: [pattern]) { .like(Like($0[0], $0[1])) } }
    /// Returns a condition that the value contains a match of a regular expression.
    public func regex(_ pattern: Expression) -> Expression { Function.call("REGEXP_LIKE", self, pattern) }

    /// Returns the condition that both this condition and another one are true.
    public func and(_ other: Expression) -> Expression { Expression([self, other]) { .and($0[0], $0[1]) } }
    /// Returns the condition that this condition, another one or both are true.
    public func or(_ other: Expression) -> Expression { Expression([self, other]) { .or($0[0], $0[1]) } }

    /// Returns a condition that the value is within two bounds, inclusive.
    public func between(
        _ lower: Expression, and upper: Expression
    ) -> Expression { comparison(with: [lower, upper]) { .between(Between($0[0], $0[1], $0[2])) } }

    /// Returns a condition that the value equals an expression of a list.
    public func `in`(_ list: [Expression]) -> Expression {
        comparison(with: list) { .membership(Membership($0[0], .list(Array($0.dropFirst())))) }
    }

    /// Returns the expression with a collation, by which the comparisons inside the expression compare strings and, if
    /// it is a term of ORDER BY, its values are ordered. A comparison (also LIKE, BETWEEN and IN) of the returned
    /// expression with another one compares strings by the collation too, unless the expression is a condition itself.
    public func collate(_ collation: Collation) -> Expression { Expression([self]) { .collate($0[0], collation.tree) } }
}

extension Tree.Expression {
    /// The expression without the collation that was added to it, and this collation. The collation of a condition
    /// concerns the comparisons inside the condition and stays a part of it.
    fileprivate var withoutOwnCollation: (operand: Tree.Expression, collation: Tree.Collation?) {
        guard case .collate(let operand, let collation) = self, !operand.isCondition else { return (self, nil) }
        return (operand, collation)
    }

    private var isCondition: Bool {
        switch self {
        case .not, .and, .or, .isValued, .like, .between, .membership, .quantified, .exists: true
        case .operation(let chain): chain.level == .equality || chain.level == .relation
        default: false
        }
    }
}
