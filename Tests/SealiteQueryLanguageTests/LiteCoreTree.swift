@testable import SealiteQueryLanguage

/// Puts a tree into the JSON form that LiteCore makes of a query. What LiteCore has no form for becomes an object that says so.
struct LiteCoreTree {
    /// The variables of ANY and EVERY around an expression.
    private var variables: Set<String> = []

    static func of(_ query: QueryTree) -> JSONValue { LiteCoreTree().query(query) }

    // MARK: Queries

    private func query(_ query: QueryTree) -> JSONValue {
        guard case .select(let select) = query.first, query.combinations.isEmpty, query.commonTables.isEmpty,
            case .columns(let columns) = select.projection
        else { return .object(["extension": .string("query")]) }
        var members: [String: JSONValue] = ["WHAT": .array(columns.map(column))]
        if select.isDistinct { members["DISTINCT"] = .boolean(true) }
        if let from = select.from { members["FROM"] = self.from(from) }
        members["WHERE"] = select.condition.map(expression)
        if !select.groups.isEmpty { members["GROUP_BY"] = expressions(select.groups) }
        members["HAVING"] = select.groupCondition.map(expression)
        if !query.order.isEmpty { members["ORDER_BY"] = .array(query.order.map(term)) }
        members["LIMIT"] = query.limit.map(expression)
        members["OFFSET"] = query.offset.map(expression)
        return .object(members)
    }

    private func column(_ column: ResultColumn) -> JSONValue {
        guard let alias = column.alias else { return expression(column.expression) }
        return list("AS", expression(column.expression), .string(escaped(alias)))
    }

    private func term(_ term: OrderTerm) -> JSONValue {
        let value = expression(term.expression)
        return term.direction.map { list($0.rawValue, value) } ?? value
    }

    private func from(_ from: FromClause) -> JSONValue {
        var sources = [source(from.source)]
        for join in from.joins {
            switch join {
            case .join(let kind, let source, let condition):
                sources.append(
                    self.source(
                        source,
                        [
                            "JOIN": .string(String(kind.rawValue.prefix { $0 != " " })), "ON": expression(condition),
                        ])
                )
            case .cross(let source): sources.append(self.source(source, ["JOIN": .string("CROSS")]))
            case .unnest(let path, let alias, _):
                var members = ["UNNEST": expression(.path(path))]
                members["AS"] = alias.map { .string(escaped($0)) }
                sources.append(.object(members))
            }
        }
        return .array(sources)
    }

    private func source(_ source: Source, _ members: [String: JSONValue] = [:]) -> JSONValue {
        guard case .collection(let name, let alias) = source else { return .object(["extension": .string("source")]) }
        var members = members
        members["COLLECTION"] = .string(name.name)
        members["SCOPE"] = name.scope.map { .string($0) }
        members["AS"] = alias.map { .string(escaped($0)) }
        return .object(members)
    }

    // MARK: Expressions

    private func list(_ name: String, _ items: JSONValue...) -> JSONValue { .array([.string(name)] + items) }

    private func expressions(_ expressions: [ExpressionTree]) -> JSONValue { .array(expressions.map(expression)) }

    private func expression(_ expression: ExpressionTree) -> JSONValue {
        switch expression {
        case .literal(let literal): return self.literal(literal)
        case .path(let path): return self.path(path)
        case .star(let names, _): return list("." + names.map { escaped($0) + "." }.joined())
        case .parameter(let name, _): return list("$" + name)
        case .array(let elements): return .array([.string("[]")] + elements.map(self.expression))
        case .object(let members):
            return .object(Dictionary(members.map { ($0.name, self.expression($0.value)) }) { $1 })
        case .property(let base, let steps): return list("_.", self.expression(base), .string(self.steps(steps)))
        case .minus(let operand): return list("-", self.expression(operand))
        case .not(let operand): return list("NOT", self.expression(operand))
        case .and(let terms): return leftToRight("AND", terms)
        case .or(let terms): return leftToRight("OR", terms)
        case .operation(let chain):
            return chain.links.reduce(self.expression(chain.first)) {
                list($1.op.rawValue, $0, self.expression($1.operand))
            }
        case .exists(let query): return list("EXISTS", list("SELECT", self.query(query)))
        case .subquery(let query): return list("SELECT", self.query(query))
        case .isValued, .like, .between, .membership: return comparison(expression)
        case .quantified, .comprehension, .conditional, .collate: return block(expression)
        case .call, .meta, .match, .rank: return call(expression)
        }
    }

    private func leftToRight(_ op: String, _ terms: [ExpressionTree]) -> JSONValue {
        terms.dropFirst().reduce(expression(terms[0])) { list(op, $0, expression($1)) }
    }

    private func literal(_ literal: Literal) -> JSONValue {
        switch literal {
        case .missing: list("MISSING")
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .number(let text): .number(text)
        case .string(let value), .unusable(let value): .string(value)
        }
    }

    private func comparison(_ comparison: ExpressionTree) -> JSONValue {
        let isNegated: Bool
        let positive: JSONValue
        switch comparison {
        case .isValued(let operand, let negated):
            (isNegated, positive) = (negated, list("IS VALUED", expression(operand)))
        case .like(let like):
            (isNegated, positive) = (like.isNegated, list("LIKE", expression(like.operand), expression(like.pattern)))
        case .between(let between):
            let operands = [between.operand, between.lower, between.upper].map(expression)
            (isNegated, positive) = (between.isNegated, .array([.string("BETWEEN")] + operands))
        case .membership(let membership): return self.membership(membership)
        default: return .null
        }
        return isNegated ? list("NOT", positive) : positive
    }

    private func membership(_ membership: Membership) -> JSONValue {
        let name = membership.isNegated ? "NOT IN" : "IN"
        switch membership.candidates {
        case .list(let values): return list(name, expression(membership.operand), expression(.array(values)))
        case .elements(let elements): return list(name, expression(membership.operand), expression(elements))
        }
    }

    private func block(_ block: ExpressionTree) -> JSONValue {
        switch block {
        case .quantified(let quantified):
            var inner = self
            inner.variables.insert(quantified.variable)
            return list(
                quantified.quantifier.rawValue, .string(quantified.variable), expression(quantified.collection),
                inner.expression(quantified.condition))
        case .conditional(let conditional):
            var items = [conditional.operand.map(expression) ?? .null]
            for branch in conditional.branches { items += [expression(branch.condition), expression(branch.result)] }
            if let otherwise = conditional.otherwise { items.append(expression(otherwise)) }
            return .array([.string("CASE")] + items)
        case .collate(let operand, let collation):
            var members: [String: JSONValue] = [:]
            members["UNICODE"] = collation.unicode.map { .boolean($0) }
            members["CASE"] = collation.caseSensitive.map { .boolean($0) }
            members["DIAC"] = collation.diacriticSensitive.map { .boolean($0) }
            members["LOCALE"] = collation.locale.map { .string($0) }
            return list("COLLATE", .object(members), expression(operand))
        default: return .object(["extension": .string("comprehension")])
        }
    }

    private func call(_ call: ExpressionTree) -> JSONValue {
        switch call {
        case .call(let call) where !call.isDistinct && call.filter == nil && call.window == nil:
            return .array([.string(call.name + "()")] + call.arguments.map(expression))
        case .meta(let names, _):
            return .array([.string("META()")] + (names.isEmpty ? [] : [.string(self.names(names))]))
        case .match(let index, let query, _): return list("MATCH()", .string(names(index)), expression(query))
        case .rank(let index, let weights, _) where weights.isEmpty: return list("RANK()", .string(names(index)))
        default: return .object(["extension": .string("call")])
        }
    }

    // MARK: Paths

    private func path(_ path: Path) -> JSONValue {
        list((variables.contains(path.root) ? "?" : ".") + escaped(path.root) + steps(path.steps))
    }

    private func steps(_ steps: [PathStep]) -> String {
        steps.map { step in
            switch step {
            case .name(let name): "." + escaped(name)
            case .index(let index): "[\(index)]"
            case .slice(let from, let to): "[\(from ?? 0):\(to ?? 0)]"
            case .star: "[*]"
            }
        }.joined()
    }

    private func names(_ names: [String]) -> String { names.map(escaped).joined(separator: ".") }

    /// A name with a backslash before what would have a meaning in a path.
    private func escaped(_ name: String) -> String {
        name.reduce(into: "") { $0 += "$.[\\".contains($1) ? "\\\($1)" : "\($1)" }
    }
}
