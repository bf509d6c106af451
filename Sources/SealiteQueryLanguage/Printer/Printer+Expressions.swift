extension Expression {
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
    mutating func expression(_ expression: Expression) { self.expression(expression, .collation) }

    mutating func expressions(_ expressions: [Expression]) { list(expressions) { $0.expression($1) } }

    /// Writes an expression, in parentheses if the precedence of its outermost operator is lower than `level`.
    mutating func expression(_ expression: Expression, _ level: Precedence) {
        let needsParentheses = expression.precedence < level
        if needsParentheses { write("(") }
        bare(expression)
        if needsParentheses { write(")") }
    }

    private mutating func bare(_ expression: Expression) {
        switch expression {
        case .literal(let literal): self.literal(literal)
        case .path(let path): self.path(path)
        case .star: starOrExpression(expression)
        case .parameter(let name, _):
            write("$")
            let isReserved = Keyword(Array(name.utf8)[...])?.isReserved == true
            if isReserved { self.name(name) } else { innerName(name) }
        case .array(let elements):
            write("[")
            expressions(elements)
            write("]")
        case .object(let members): object(members)
        case .property(let base, let steps):
            property(base, steps)
        case .minus(let operand): minus(operand)
        case .not(let operand):
            write("NOT ")
            self.expression(operand, .negation)
        case .and(let terms): chain(terms, " AND ", .conjunction)
        case .or(let terms): chain(terms, " OR ", .disjunction)
        case .operation(let chain): operation(chain)
        case .isValued, .like, .between, .membership: comparison(expression)
        case .quantified, .comprehension, .conditional: block(expression)
        case .collate(let operand, let collation):
            self.expression(operand, .disjunction)
            self.collation(collation)
        case .call, .meta, .match, .rank: call(expression)
        case .exists(let query):
            write("EXISTS ")
            subquery(query)
        case .subquery(let query): subquery(query)
        }
    }

    /// Writes an expression in a position where `*` is allowed.
    mutating func starOrExpression(_ expression: Expression) {
        guard case .star(let names, _) = expression else { return self.expression(expression) }
        self.names(names)
        write(names.isEmpty ? "*" : ".*")
    }

    // MARK: Operands

    private mutating func literal(_ literal: Literal) {
        switch literal {
        case .missing: write("MISSING")
        case .null: write("NULL")
        case .boolean(let value): write(value ? "TRUE" : "FALSE")
        case .number(let digits): write(digits)
        case .string(let value): string(value)
        case .unusable(let reason): write("<\(reason)>")
        }
    }

    private mutating func object(_ members: [ObjectMember]) {
        write("{")
        list(members) { printer, member in
            printer.string(member.name)
            printer.write(": ")
            printer.expression(member.value)
        }
        write("}")
    }

    private mutating func property(_ base: Expression, _ steps: [PathStep]) {
        if case .literal(.number) = base, case .name = steps.first {
            // Without parentheses, the dot would be read as part of the number.
            write("(")
            expression(base)
            write(")")
        } else {
            expression(base, .operand)
        }
        self.steps(steps)
    }

    mutating func path(_ path: Path) {
        name(path.root)
        steps(path.steps)
    }

    private mutating func steps(_ steps: [PathStep]) {
        for step in steps {
            switch step {
            case .name(let name):
                write(".")
                innerName(name)
            case .index(let index): write("[\(index)]")
            case .slice(let from, let to):
                write("[" + (from.map { "\($0)" } ?? "") + ":" + (to.map { "\($0)" } ?? "") + "]")
            case .star: write("[*]")
            }
        }
    }

    // MARK: Operators

    /// Writes a minus sign and its operand. A space after the sign keeps two signs from beginning a comment, and the
    /// sign from becoming part of a number.
    private mutating func minus(_ operand: Expression) {
        write("-")
        switch operand {
        case .minus, .literal(.number), .property(.literal(.number), _): write(" ")
        default: break
        }
        expression(operand, .prefix)
    }

    private mutating func chain(_ terms: [Expression], _ op: String, _ level: Precedence) {
        for (index, term) in terms.enumerated() {
            if index > 0 { write(op) }
            expression(term, level.tighter)
        }
    }

    private mutating func operation(_ chain: Operation) {
        expression(chain.first, chain.level.tighter)
        for link in chain.links {
            write(" \(link.op.rawValue) ")
            expression(link.operand, chain.level.tighter)
        }
    }

    private mutating func comparison(_ comparison: Expression) {
        switch comparison {
        case .isValued(let operand, let isNegated):
            expression(operand, .relation)
            write(isNegated ? " IS NOT VALUED" : " IS VALUED")
        case .like(let like):
            expression(like.operand, .relation)
            write(like.isNegated ? " NOT LIKE " : " LIKE ")
            expression(like.pattern, .relation)
            if let escape = like.escape {
                write(" ESCAPE ")
                expression(escape, .relation)
            }
        case .between(let between):
            expression(between.operand, .relation)
            write(between.isNegated ? " NOT BETWEEN " : " BETWEEN ")
            expression(between.lower, .relation)
            write(" AND ")
            expression(between.upper, .relation)
        case .membership(let membership):
            expression(membership.operand, .relation)
            write(membership.isNegated ? " NOT IN " : " IN ")
            candidates(membership.candidates)
        default: break
        }
    }

    private mutating func candidates(_ candidates: Membership.Candidates) {
        switch candidates {
        case .list(let values):
            write("(")
            expressions(values)
            write(")")
        case .elements(let expression): self.expression(expression, .operand)
        }
    }

    private mutating func collation(_ collation: Collation) {
        var words: [String] = []
        if let locale = collation.locale {
            words.append("UNICODE:" + locale)
        } else if let unicode = collation.unicode {
            words.append(unicode ? "UNICODE" : "NOUNICODE")
        }
        if let isSensitive = collation.caseSensitive { words.append(isSensitive ? "CASE" : "NOCASE") }
        if let isSensitive = collation.diacriticSensitive { words.append(isSensitive ? "DIAC" : "NODIAC") }
        let text = words.joined(separator: " ")
        write(" COLLATE " + (words.count == 1 ? text : "(\(text))"))
    }
}

extension Printer {
    // MARK: CASE, ANY, ARRAY

    mutating func block(_ block: Expression) {
        switch block {
        case .quantified(let quantified):
            write("\(quantified.quantifier.rawValue) ")
            name(quantified.variable)
            clause("IN", quantified.collection)
            clause("SATISFIES", quantified.condition)
        case .comprehension(let comprehension):
            write("\(comprehension.kind.rawValue) ")
            delimited(comprehension.element)
            write(" FOR ")
            name(comprehension.variable)
            clause("IN", comprehension.collection)
            clause("WHEN", comprehension.condition)
        case .conditional(let conditional):
            write("CASE")
            if let operand = conditional.operand {
                write(" ")
                expression(operand)
            }
            for branch in conditional.branches {
                clause("WHEN", branch.condition)
                clause("THEN", branch.result)
            }
            clause("ELSE", conditional.otherwise)
        default: return
        }
        write(" END")
    }

    /// Writes an expression after the word ARRAY, FIRST or VALUE. It is put in parentheses if the word could otherwise be read
    /// as a property of that name.
    mutating func delimited(_ expression: Expression) {
        switch expression {
        case .path, .literal(.string), .parameter, .object, .call, .meta, .subquery: self.expression(expression)
        default:
            write("(")
            self.expression(expression)
            write(")")
        }
    }

    // MARK: Calls

    mutating func call(_ call: Expression) {
        switch call {
        case .call(let call): function(call)
        case .meta(let names, _):
            write("META(")
            self.names(names)
            write(")")
        case .match(let index, let query, _):
            write("MATCH(")
            names(index)
            write(", ")
            expression(query)
            write(")")
        case .rank(let index, let weights, _):
            write("RANK(")
            names(index)
            for weight in weights {
                write(", ")
                expression(weight)
            }
            write(")")
        default: break
        }
    }

    private mutating func function(_ call: FunctionCall) {
        write("\(call.name)(")
        if call.isDistinct { write("DISTINCT ") }
        list(call.arguments) { $0.starOrExpression($1) }
        write(")")
        if let filter = call.filter {
            write(" FILTER (WHERE ")
            expression(filter)
            write(")")
        }
        if let window = call.window { self.window(window) }
    }

    private mutating func window(_ window: Window) {
        write(" OVER (")
        var separator = ""
        if !window.partitions.isEmpty {
            write("PARTITION BY ")
            expressions(window.partitions)
            separator = " "
        }
        if !window.order.isEmpty {
            write(separator)
            order(window.order)
            separator = " "
        }
        if let frame = window.frame {
            write(separator + frame.unit.rawValue + " ")
            if let end = frame.end {
                write("BETWEEN ")
                bound(frame.start)
                write(" AND ")
                bound(end)
            } else {
                bound(frame.start)
            }
        }
        write(")")
    }

    private mutating func bound(_ bound: WindowFrame.Bound) {
        switch bound {
        case .unboundedPreceding: write("UNBOUNDED PRECEDING")
        case .unboundedFollowing: write("UNBOUNDED FOLLOWING")
        case .currentRow: write("CURRENT ROW")
        case .preceding(let distance):
            expression(distance, .relation)
            write(" PRECEDING")
        case .following(let distance):
            expression(distance, .relation)
            write(" FOLLOWING")
        }
    }

    mutating func order(_ terms: [OrderTerm]) {
        write("ORDER BY ")
        list(terms) { printer, term in
            printer.expression(term.expression)
            if let direction = term.direction { printer.write(" " + direction.rawValue) }
            if let nulls = term.nulls { printer.write(" " + nulls.rawValue) }
        }
    }
}
