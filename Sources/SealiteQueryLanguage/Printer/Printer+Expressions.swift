extension ExpressionTree {
    /// The precedence of the expression's outermost operator.
    var precedence: Precedence {
        switch self {
        case .collate: .collation
        case .or: .disjunction
        case .and: .conjunction
        case .not: .negation
        case .operation(let chain): chain.level
        case .isValued, .like, .between, .membership: .equality
        case .minus: .prefix
        default: .operand
        }
    }
}

extension Printer {
    static func expressions(_ expressions: [ExpressionTree]) -> String { list(expressions) { expression($0) } }

    /// Returns an expression, in parentheses if the precedence of its outermost operator is lower than `level`.
    static func expression(_ expression: ExpressionTree, _ level: Precedence = .collation) -> String {
        let text = bare(expression)
        return expression.precedence < level ? "(\(text))" : text
    }

    private static func bare(_ expression: ExpressionTree) -> String {
        switch expression {
        case .literal(let literal): self.literal(literal)
        case .path(let path): self.path(path)
        case .star: starOrExpression(expression)
        case .parameter(let name, _): "$" + innerName(name)
        case .array(let elements): "[\(expressions(elements))]"
        case .object(let members): object(members)
        case .property(let base, let steps): property(base, steps)
        case .minus(let operand): minus(operand)
        case .not(let operand): "NOT " + self.expression(operand, .negation)
        case .and(let terms): chain(terms, " AND ", .conjunction)
        case .or(let terms): chain(terms, " OR ", .disjunction)
        case .operation(let chain): operation(chain)
        case .isValued, .like, .between, .membership: comparison(expression)
        case .quantified, .comprehension, .conditional: block(expression)
        case .collate(let operand, let collation): self.expression(operand, .disjunction) + self.collation(collation)
        case .call, .meta, .match, .rank: call(expression)
        case .exists(let query): "EXISTS " + subquery(query)
        case .subquery(let query): subquery(query)
        }
    }

    /// Returns an expression for a position where `*` is allowed.
    static func starOrExpression(_ expression: ExpressionTree) -> String {
        guard case .star(let names, _) = expression else { return self.expression(expression) }
        return self.names(names) + (names.isEmpty ? "*" : ".*")
    }

    private static func literal(_ literal: Literal) -> String {
        switch literal {
        case .missing: "MISSING"
        case .null: "NULL"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .number(let digits): digits
        case .string(let value): string(value)
        case .unusable(let reason): "<\(reason)>"
        }
    }

    private static func object(_ members: [LiteralMember]) -> String {
        "{\(list(members) { "\(string($0.name)): \(expression($0.value))" })}"
    }

    private static func property(_ base: ExpressionTree, _ steps: [PathStep]) -> String {
        if case .literal(.number) = base, case .name = steps.first {
            return "(\(expression(base)))\(self.steps(steps))"
        }
        return expression(base, .operand) + self.steps(steps)
    }

    static func path(_ path: Path) -> String { name(path.root) + steps(path.steps) }

    private static func steps(_ steps: [PathStep]) -> String {
        steps.map { step in
            switch step {
            case .name(let name): "." + innerName(name)
            case .index(let index): "[\(index)]"
            case .slice(let from, let to): "[\(from.map { "\($0)" } ?? ""):\(to.map { "\($0)" } ?? "")]"
            case .star: "[*]"
            }
        }.joined()
    }

    /// Returns a minus sign and its operand. A space after the sign keeps two signs from beginning a comment, and the
    /// sign from becoming part of a number.
    private static func minus(_ operand: ExpressionTree) -> String {
        let text = expression(operand, .prefix)
        return switch operand {
        case .minus, .literal(.number), .property(.literal(.number), _): "- " + text
        default: "-" + text
        }
    }

    private static func chain(_ terms: [ExpressionTree], _ op: String, _ level: Precedence) -> String {
        terms.map { expression($0, level.tighter) }.joined(separator: op)
    }

    private static func operation(_ chain: Operation) -> String {
        let level = chain.level.tighter
        let links = chain.links.map { " \($0.op.rawValue) \(expression($0.operand, level))" }
        return expression(chain.first, level) + links.joined()
    }

    private static func comparison(_ comparison: ExpressionTree) -> String {
        func operand(_ operand: ExpressionTree) -> String { expression(operand, .relation) }
        switch comparison {
        case .isValued(let value, let isNegated):
            return operand(value) + (isNegated ? " IS NOT VALUED" : " IS VALUED")
        case .like(let like):
            let escape = like.escape.map { " ESCAPE \(operand($0))" } ?? ""
            return "\(operand(like.operand))\(like.isNegated ? " NOT" : "") LIKE \(operand(like.pattern))\(escape)"
        case .between(let between):
            let word = between.isNegated ? "NOT BETWEEN" : "BETWEEN"
            return "\(operand(between.operand)) \(word) \(operand(between.lower)) AND \(operand(between.upper))"
        case .membership(let membership):
            let word = membership.isNegated ? "NOT IN" : "IN"
            return "\(operand(membership.operand)) \(word) \(candidates(membership.candidates))"
        default: return ""
        }
    }

    private static func candidates(_ candidates: Membership.Candidates) -> String {
        switch candidates {
        case .list(let values): "(\(expressions(values)))"
        case .elements(let expression): self.expression(expression, .operand)
        }
    }

    private static func collation(_ collation: CollateClause) -> String {
        var words: [String] = []
        if let locale = collation.locale {
            words.append("UNICODE:" + locale)
        } else if let unicode = collation.unicode {
            words.append(unicode ? "UNICODE" : "NOUNICODE")
        }
        if let isSensitive = collation.caseSensitive { words.append(isSensitive ? "CASE" : "NOCASE") }
        if let isSensitive = collation.diacriticSensitive { words.append(isSensitive ? "DIAC" : "NODIAC") }
        let text = words.joined(separator: " ")
        return " COLLATE " + (words.count == 1 ? text : "(\(text))")
    }

    // MARK: Blocks

    private static func block(_ block: ExpressionTree) -> String {
        let text =
            switch block {
            case .quantified(let quantified):
                "\(quantified.quantifier.rawValue) \(name(quantified.variable))"
                    + clause("IN", quantified.collection) + clause("SATISFIES", quantified.condition)
            case .comprehension(let comprehension):
                "\(comprehension.kind.rawValue) \(delimited(comprehension.element)) FOR \(name(comprehension.variable))"
                    + clause("IN", comprehension.collection) + clause("WHEN", comprehension.condition)
            case .conditional(let conditional): self.conditional(conditional)
            default: ""
            }
        return text + " END"
    }

    private static func conditional(_ conditional: Conditional) -> String {
        let operand = conditional.operand.map { " " + expression($0) } ?? ""
        let branches = conditional.branches.map { clause("WHEN", $0.condition) + clause("THEN", $0.result) }
        return "CASE" + operand + branches.joined() + clause("ELSE", conditional.otherwise)
    }

    /// Returns an expression for a position after the word ARRAY, FIRST or VALUE. It is put in parentheses if the word
    /// could otherwise be read as a property of that name.
    static func delimited(_ expression: ExpressionTree) -> String {
        switch expression {
        case .path, .literal(.string), .parameter, .object, .call, .meta, .subquery: self.expression(expression)
        default: "(\(self.expression(expression)))"
        }
    }

    // MARK: Calls

    private static func call(_ call: ExpressionTree) -> String {
        switch call {
        case .call(let call): function(call)
        case .meta(let names, _): "META(\(self.names(names)))"
        case .match(let index, let query, _): "MATCH(\(names(index)), \(expression(query)))"
        case .rank(let index, let weights, _): "RANK(\(names(index))\(weights.map { ", " + expression($0) }.joined()))"
        default: ""
        }
    }

    private static func function(_ call: FunctionCall) -> String {
        let arguments = (call.isDistinct ? "DISTINCT " : "") + list(call.arguments) { starOrExpression($0) }
        let filter = call.filter.map { " FILTER (WHERE \(expression($0)))" } ?? ""
        return "\(call.name)(\(arguments))\(filter)\(call.window.map { window($0) } ?? "")"
    }

    private static func window(_ window: Window) -> String {
        var parts: [String] = []
        if !window.partitions.isEmpty { parts.append("PARTITION BY " + expressions(window.partitions)) }
        if !window.order.isEmpty { parts.append(order(window.order)) }
        if let frame = window.frame {
            let start = bound(frame.start)
            let bounds = frame.end.map { "BETWEEN \(start) AND \(bound($0))" } ?? start
            parts.append("\(frame.unit.rawValue) \(bounds)")
        }
        return " OVER (\(parts.joined(separator: " ")))"
    }

    private static func bound(_ bound: WindowFrame.Bound) -> String {
        switch bound {
        case .unboundedPreceding: "UNBOUNDED PRECEDING"
        case .unboundedFollowing: "UNBOUNDED FOLLOWING"
        case .currentRow: "CURRENT ROW"
        case .preceding(let distance): expression(distance, .relation) + " PRECEDING"
        case .following(let distance): expression(distance, .relation) + " FOLLOWING"
        }
    }

    static func order(_ terms: [OrderTerm]) -> String {
        let texts = list(terms) { term in
            let direction = term.direction.map { " " + $0.rawValue } ?? ""
            return expression(term.expression) + direction + (term.nulls.map { " " + $0.rawValue } ?? "")
        }
        return "ORDER BY " + texts
    }
}
