extension Expression {
    /// Returns the conjunction of two conditions. If the left one is a conjunction, it is extended instead of being
    /// nested, as in parsed trees.
    package static func and(_ left: Expression, _ right: Expression) -> Expression {
        if case .and(let terms) = left { return .and(terms + [right]) }
        return .and([left, right])
    }

    /// Returns the disjunction of two conditions. If the left one is a disjunction, it is extended instead of being
    /// nested, as in parsed trees.
    package static func or(_ left: Expression, _ right: Expression) -> Expression {
        if case .or(let terms) = left { return .or(terms + [right]) }
        return .or([left, right])
    }

    /// Returns a binary operation. If the left operand is an operation of the same precedence, it is extended instead
    /// of being nested, as in parsed trees.
    package static func operation(_ left: Expression, _ op: BinaryOperator, _ right: Expression) -> Expression {
        .operation(left, [OperationLink(op, right)])
    }

    /// Returns the operations of one precedence that are applied to an expression from left to right. If the expression
    /// is an operation of the same precedence, it is extended.
    static func operation(_ first: Expression, _ links: [OperationLink]) -> Expression {
        guard let level = links.first?.op.level else { return first }
        if case .operation(let chain) = first, chain.level == level {
            return .operation(Operation(first: chain.first, links: chain.links + links))
        }
        return .operation(Operation(first: first, links: links))
    }

    /// Returns the path of the given names, such as `a.b`; nil without names.
    package static func path(_ names: String...) -> Expression? {
        guard let root = names.first else { return nil }
        return .path(Path(root, names.dropFirst().map { .name($0) }))
    }

    /// Returns the expression for the value to which steps lead from the value of an expression. If the expression is a
    /// path, the steps are appended to it.
    package static func property(of base: Expression, _ steps: [PathStep]) -> Expression {
        switch base {
        case _ where steps.isEmpty: base
        case .path(let path): .path(Path(path.root, path.steps + steps, at: path.position))
        case .property(let inner, let first): .property(inner, first + steps)
        default: .property(base, steps)
        }
    }
}
