import SealiteTestSupport

@testable import SealiteQueryLanguage

/// Makes random trees, of the shapes that the parser makes: chains are flat, parentheses that say nothing are gone.
struct RandomTrees {
    var random = SeededRandom()
    /// The levels that may still be nested.
    private var depth = 5

    private static let names = [
        "a", "b", "c9", "_", "_default", "x$y", "select", "FROM", "value", "key", "array", "first", "let", "union",
        "set", "exists", "some",
        "returning", "with", "meta", "rank", "count", "is", "first name", "o`clock", "", "日本", "a.b", "[0]", "null",
        "end", "for", "1a",
    ]
    private static let strings = [
        "", "it's", "say \"hi\"", "é😀", "back\\slash", "-- no comment", "line\nbreak", "`", "%_",
    ]
    private static let numbers = [
        "0", "7", "-5", "1.5", "-0.25", "1e400", "12E-3", "123456789012345678901234567890", "-0",
    ]

    // MARK: Choosing

    mutating func name() -> String { pick(Self.names) }

    mutating func pick<Item>(_ items: [Item]) -> Item { items[random.below(items.count)] }

    mutating func some<Item>(_ range: ClosedRange<Int>, _ make: (inout RandomTrees) -> Item) -> [Item] {
        (0..<Int.random(in: range, using: &random)).map { _ in make(&self) }
    }

    mutating func maybe<Item>(_ percent: Int, _ make: (inout RandomTrees) -> Item) -> Item? {
        random.chance(percent) ? make(&self) : nil
    }

    private mutating func deeper<Item>(_ make: (inout RandomTrees) -> Item) -> Item {
        depth -= 1
        defer { depth += 1 }
        return make(&self)
    }

    // MARK: Expressions

    mutating func expression() -> ExpressionTree {
        guard depth > 0 else { return leaf() }
        return deeper { $0.inner() }
    }

    mutating func expressions(_ range: ClosedRange<Int>) -> [ExpressionTree] { some(range) { $0.expression() } }

    private mutating func inner() -> ExpressionTree {
        switch random.below(22) {
        case 0: return .array(expressions(0...3))
        case 1: return .object(some(0...3) { LiteralMember($0.pick(Self.strings), $0.expression()) })
        case 2: return .property(of: expression(), some(1...2) { $0.step() })
        case 3: return .minus(expression())
        case 4: return .not(expression())
        case 5: return expressions(1...3).reduce(expression()) { .and($0, $1) }
        case 6: return expressions(1...3).reduce(expression()) { .or($0, $1) }
        case 7, 8, 9: return operation()
        case 10: return .isValued(expression(), isNegated: random.chance(50))
        case 11:
            return .like(
                Like(expression(), expression(), escape: maybe(30) { $0.expression() }, isNegated: random.chance(50)))
        case 12: return .between(Between(expression(), expression(), expression(), isNegated: random.chance(50)))
        case 13: return .membership(Membership(expression(), candidates(), isNegated: random.chance(50)))
        case 14:
            return .quantified(
                Quantified(pick(Quantified.Quantifier.allCases), name(), in: expression(), satisfies: expression()))
        case 15:
            return .comprehension(
                Comprehension(
                    expression(), for: name(), in: expression(), when: maybe(50) { $0.expression() },
                    kind: pick(Comprehension.Kind.allCases)))
        case 16:
            return .conditional(
                Conditional(
                    maybe(50) { $0.expression() }, some(1...2) { .init(when: $0.expression(), then: $0.expression()) },
                    otherwise: maybe(50) { $0.expression() }))
        case 17: return .collate(expression(), collation())
        case 18: return .exists(query())
        case 19: return .subquery(query())
        default: return call()
        }
    }

    private mutating func leaf() -> ExpressionTree {
        switch random.below(6) {
        case 0: .literal(pick([.missing, .null, .boolean(true), .boolean(false)]))
        case 1: .literal(.number(pick(Self.numbers)))
        case 2: .literal(.string(pick(Self.strings)))
        case 3: .parameter(name(), .none)
        default: .path(path())
        }
    }

    mutating func path(hasSlices: Bool = true) -> Path { Path(name(), some(0...2) { $0.step(hasSlices) }) }

    private mutating func step(_ hasSlices: Bool = true) -> PathStep {
        switch random.below(hasSlices ? 7 : 5) {
        case 0, 1, 2: .name(name())
        case 3, 4: .index(Int64(random.below(9)) - 3)
        case 5: .star
        default: .slice(from: maybe(70) { _ in 1 }, to: maybe(70) { _ in -2 })
        }
    }

    private mutating func operation() -> ExpressionTree {
        let level = pick(BinaryOperator.allCases).level
        let operators = BinaryOperator.allCases.filter { $0.level == level }
        return .operation(expression(), some(1...3) { OperationLink($0.pick(operators), $0.expression()) })
    }

    private mutating func candidates() -> Membership.Candidates {
        guard random.chance(50) else { return .list(expressions(0...3)) }
        switch random.below(4) {
        case 0: return .elements(.subquery(query()))
        case 1: return .elements(.property(of: .subquery(query()), some(0...2) { $0.step() }))
        case 2: return .elements(call())
        default: return .elements(leaf())
        }
    }

    private mutating func collation() -> CollateClause {
        var collation = CollateClause(
            caseSensitive: maybe(50) { $0.random.chance(50) }, diacriticSensitive: maybe(50) { $0.random.chance(50) })
        collation.unicode = maybe(70) { $0.random.chance(70) }
        if collation.unicode == true { collation.locale = maybe(30) { $0.pick(["sv", "is", "de_AT"]) } }
        if collation == CollateClause() { collation.caseSensitive = false }
        return collation
    }

    private mutating func call() -> ExpressionTree {
        switch random.below(6) {
        case 0: return .meta(some(0...2) { $0.name() }, .none)
        case 1: return .match(index: some(1...2) { $0.name() }, query: expression(), .none)
        case 2: return .rank(index: some(1...2) { $0.name() }, weights: some(0...2) { $0.expression() }, .none)
        default: break
        }
        let signature = pick(FunctionSignature.table)
        let most = min(signature.arguments.upperBound, signature.arguments.lowerBound + 2)
        var call = FunctionCall(signature.name, expressions(signature.arguments.lowerBound...most))
        if signature.kind == .aggregate {
            if !call.arguments.isEmpty, random.chance(20) {
                call.arguments = [star()]
            } else {
                call.isDistinct = !call.arguments.isEmpty && random.chance(30)
            }
            call.filter = maybe(30) { $0.expression() }
        }
        if signature.kind == .window || (signature.kind == .aggregate && random.chance(20)) { call.window = window() }
        return .call(call)
    }

    mutating func star() -> ExpressionTree { .star(some(0...2) { $0.name() }, .none) }

    private mutating func window() -> Window {
        Window(
            partitions: expressions(0...2), order: order(),
            frame: maybe(50) { trees in
                WindowFrame(
                    unit: trees.pick(WindowFrame.Unit.allCases), start: trees.bound(),
                    end: trees.maybe(50) { $0.bound() })
            })
    }

    private mutating func bound() -> WindowFrame.Bound {
        pick([
            .unboundedPreceding, .unboundedFollowing, .currentRow, .preceding(expression()), .following(expression()),
        ])
    }

    mutating func order() -> [OrderTerm] {
        some(0...2) { trees in
            OrderTerm(
                trees.expression(), trees.maybe(50) { $0.pick(OrderTerm.Direction.allCases) },
                nulls: trees.maybe(30) { $0.pick(OrderTerm.Nulls.allCases) })
        }
    }

    mutating func inside<Item>(_ make: (inout RandomTrees) -> Item) -> Item { deeper(make) }
    var isExhausted: Bool { depth <= 0 }
}

extension SeededRandom {
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
