import SealiteDatabase
import SealiteQueryLanguage

/// A value as the slow evaluator has it.
indirect enum SlowValue: Equatable {
    case missing, null, boolean(Bool), integer(Int64), real(Double), string(String), array([SlowValue])
    case object([String: SlowValue])

    init(_ value: Value?) {
        switch value {
        case nil: self = .missing
        case .null?: self = .null
        case .boolean(let flag)?: self = .boolean(flag)
        case .number(let number)?:
            self = Int64(number.description).map { .integer($0) } ?? .real(number.doubleValue)
        case .string(let text)?: self = .string(text)
        case .array(let items)?: self = .array(items.map { SlowValue($0) })
        case .dictionary(let members)?:
            self = .object(Dictionary(uniqueKeysWithValues: members.entries.map { ($0.key, SlowValue($0.value)) }))
        case .blob?: self = .null
        }
    }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    private var rank: Int {
        switch self {
        case .missing: 0
        case .null: 1
        case .boolean(false): 2
        case .boolean(true): 3
        case .integer, .real: 4
        case .string: 5
        case .array: 6
        case .object: 7
        }
    }

    /// A number below, at or above 0 as this value comes before, with or after another one.
    func order(_ other: SlowValue) -> Int {
        guard rank == other.rank else { return rank - other.rank }
        switch (self, other) {
        case (.string(let left), .string(let right)):
            return left.utf8.elementsEqual(right.utf8) ? 0 : left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        case (.array(let left), .array(let right)):
            for (a, b) in zip(left, right) where a.order(b) != 0 { return a.order(b) }
            return left.count - right.count
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return left.count - right.count }
            for (a, b) in zip(left.keys.sorted(), right.keys.sorted()) {
                if a != b { return a < b ? -1 : 1 }
                let order = (left[a] ?? .missing).order(right[b] ?? .missing)
                if order != 0 { return order }
            }
            return 0
        default:
            guard let left = number, let right = other.number else { return 0 }
            return left < right ? -1 : left > right ? 1 : 0
        }
    }
}

/// Computes expressions over one document by walking their tree, as Documentation/Queries.md says. It knows what `RandomQueries` makes, and shares nothing with the SQL
/// functions.
struct SlowEvaluator {
    let document: SlowValue
    var variables: [String: SlowValue] = [:]

    func value(_ expression: ExpressionTree) -> SlowValue {
        switch expression {
        case .literal(.missing): return .missing
        case .literal(.null): return .null
        case .literal(.boolean(let flag)): return .boolean(flag)
        case .literal(.number(let text)): return Int64(text).map { .integer($0) } ?? .real(Double(text) ?? 0)
        case .literal(.string(let text)): return .string(text)
        case .path(let path): return self.path(path)
        case .minus(let operand): return arithmetic(.integer(0), .subtract, value(operand))
        case .operation(let operation):
            var left = value(operation.first)
            for link in operation.links { left = apply(left, link.op, link.operand) }
            return left
        case .conditional(let conditional):
            for branch in conditional.branches where truth(branch.condition) == true { return value(branch.result) }
            return conditional.otherwise.map { value($0) } ?? .null
        case .call(let call): return SlowFunctions.value(call.name, call.arguments.map { value($0) })
        case .array(let items): return .array(items.map { value($0) }.filter { $0 != .missing })
        case .comprehension(let comprehension): return self.comprehension(comprehension)
        default: return truth(expression).map { .boolean($0) } ?? .missing
        }
    }

    /// The truth of a condition; nil for MISSING.
    func truth(_ expression: ExpressionTree) -> Bool? {
        switch expression {
        case .not(let operand): return truth(operand).map { !$0 }
        case .and(let terms):
            let parts = terms.map { truth($0) }
            return parts.contains(false) ? false : parts.contains(nil) ? nil : true
        case .or(let terms):
            let parts = terms.map { truth($0) }
            return parts.contains(true) ? true : parts.contains(nil) ? nil : false
        case .isValued(let operand, let isNegated):
            return [.missing, .null].contains(value(operand)) == isNegated
        case .between(let between):
            let bounds = ExpressionTree.and([
                .operation(between.operand, .greaterOrEqual, between.lower),
                .operation(between.operand, .lessOrEqual, between.upper),
            ])
            return truth(bounds).map { $0 != between.isNegated }
        case .membership(let membership):
            if case .elements(let container) = membership.candidates {
                guard case .array(let items) = value(container) else { return membership.isNegated }
                let sought = value(membership.operand)
                return items.contains { $0.order(sought) == 0 } != membership.isNegated
            }
            guard case .list(let list) = membership.candidates else { return nil }
            let terms = list.map { ExpressionTree.operation(membership.operand, .equal, $0) }
            return truth(.or(terms)).map { $0 != membership.isNegated }
        case .quantified(let quantified):
            guard case .array(let items) = value(quantified.collection) else { return quantified.quantifier == .every }
            let results = items.map { item in
                var inner = self
                inner.variables[quantified.variable] = item
                return inner.truth(quantified.condition)
            }
            return quantified.quantifier == .any ? results.contains(true) : !results.contains(false)
        default:
            switch value(expression) {
            case .missing: return nil
            case .boolean(let flag): return flag
            case let other: return other.number.map { $0 != 0 } ?? false
            }
        }
    }

    private func comprehension(_ comprehension: Comprehension) -> SlowValue {
        guard case .array(let items) = value(comprehension.collection) else { return .missing }
        let found = items.compactMap { item -> SlowValue? in
            var inner = self
            inner.variables[comprehension.variable] = item
            if let condition = comprehension.condition, inner.truth(condition) != true { return nil }
            return inner.value(comprehension.element)
        }
        return comprehension.kind == .first ? found.first ?? .missing : .array(found.filter { $0 != .missing })
    }

    private func path(_ path: Path) -> SlowValue {
        var found = variables[path.root] ?? member(document, path.root)
        for step in path.steps {
            switch step {
            case .name(let name): found = member(found, name)
            case .index(let index):
                guard case .array(let items) = found, items.indices.contains(Int(index)) else { return .missing }
                found = items[Int(index)]
            case .star: found = SlowFunctions.star(found)
            case .slice: return .missing
            }
        }
        return found
    }

    private func member(_ value: SlowValue, _ name: String) -> SlowValue {
        guard case .object(let members) = value else { return .missing }
        return members[name] ?? .missing
    }

    private func apply(_ left: SlowValue, _ op: BinaryOperator, _ operand: ExpressionTree) -> SlowValue {
        let right = value(operand)
        switch op {
        case .is where operand == .literal(.missing): return .boolean(left == .missing)
        case .isNot where operand == .literal(.missing): return .boolean(left != .missing)
        default: break
        }
        if left == .missing || right == .missing { return .missing }
        switch op {
        case .equal, .is: return .boolean(left.order(right) == 0)
        case .notEqual, .isNot: return .boolean(left.order(right) != 0)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if left == .null || right == .null { return .null }
            let order = left.order(right)
            return .boolean(
                op == .less ? order < 0 : op == .lessOrEqual ? order <= 0 : op == .greater ? order > 0 : order >= 0)
        default: return arithmetic(left, op, right)
        }
    }

    private func arithmetic(_ left: SlowValue, _ op: BinaryOperator, _ right: SlowValue) -> SlowValue {
        if left == .missing || right == .missing { return .missing }
        if case .integer(let a) = left, case .integer(let b) = right {
            switch op {
            case .add: return .integer(a + b)
            case .subtract: return .integer(a - b)
            case .multiply: return .integer(a * b)
            case .divide: return b == 0 ? .missing : .integer(a / b)
            default: return b == 0 ? .missing : .integer(a % b)
            }
        }
        guard let a = left.number, let b = right.number else { return .null }
        switch op {
        case .add: return finite(a + b)
        case .subtract: return finite(a - b)
        case .multiply: return finite(a * b)
        case .divide: return b == 0 ? .missing : finite(a / b)
        default:
            let (whole, divisor) = (a.rounded(.towardZero), b.rounded(.towardZero))
            return divisor == 0 ? .missing : finite(whole.truncatingRemainder(dividingBy: divisor))
        }
    }

    private func finite(_ value: Double) -> SlowValue { value.isFinite ? .real(value) : .null }
}
