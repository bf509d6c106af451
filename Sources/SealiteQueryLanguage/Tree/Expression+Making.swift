extension Expression {
    /// The conjunction of two conditions, flat on its left side as the parser makes it.
    package static func and(_ left: Expression, _ right: Expression) -> Expression {
        if case .and(let terms) = left { return .and(terms + [right]) }
        return .and([left, right])
    }

    /// The disjunction of two conditions, flat on its left side as the parser makes it.
    package static func or(_ left: Expression, _ right: Expression) -> Expression {
        if case .or(let terms) = left { return .or(terms + [right]) }
        return .or([left, right])
    }

    /// A binary operation, flat on its left side as the parser makes it.
    package static func operation(_ left: Expression, _ op: BinaryOperator, _ right: Expression) -> Expression {
        .operation(left, [OperationLink(op, right)])
    }

    /// Operations of one precedence from left to right.
    static func operation(_ first: Expression, _ links: [OperationLink]) -> Expression {
        guard let level = links.first?.op.level else { return first }
        if case .operation(let chain) = first, chain.level == level {
            return .operation(Operation(first: chain.first, links: chain.links + links))
        }
        return .operation(Operation(first: first, links: links))
    }

    /// A path of names, such as `a.b`.
    package static func path(_ names: String...) -> Expression? {
        guard let root = names.first else { return nil }
        return .path(Path(root, names.dropFirst().map { .name($0) }))
    }

    /// The steps into the value of an expression; a path grows instead.
    package static func property(of base: Expression, _ steps: [PathStep]) -> Expression {
        switch base {
        case _ where steps.isEmpty: base
        case .path(let path): .path(Path(path.root, path.steps + steps, at: path.position))
        case .property(let inner, let first): .property(inner, first + steps)
        default: .property(base, steps)
        }
    }
}
