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
