import SealiteDatabase
import SealiteQueryLanguage
import SealiteTestSupport

/// Makes documents and expressions from a seed.
struct RandomQueries {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func pick(_ bound: Int) -> Int { random.below(bound) }

    private mutating func one<T>(_ list: [T]) -> T { list[pick(list.count)] }

    // MARK: - Documents

    mutating func document() -> DictionaryObject {
        var members = DictionaryObject()
        for name in ["a", "b", "c"] { members[name] = value() }
        if pick(3) > 0 { members["l"] = .array(ArrayObject((0..<pick(4)).compactMap { _ in value() })) }
        if pick(3) > 0 { members["m"] = .array(ArrayObject((0..<pick(4)).map { _ in .dictionary(element()) })) }
        if pick(3) > 0 { members["o"] = .dictionary(DictionaryObject([("x", value() ?? .null), ("y", 1)])) }
        return members
    }

    /// An object with a value and an array, for arrays inside arrays.
    private mutating func element() -> DictionaryObject {
        var members = DictionaryObject()
        members["k"] = value()
        if pick(3) > 0 { members["q"] = .array(ArrayObject((0..<pick(3)).compactMap { _ in value() })) }
        return members
    }

    private mutating func value() -> Value? {
        switch pick(9) {
        case 0: nil
        case 1: .null
        case 2: .boolean(pick(2) == 0)
        case 3, 4, 5: Value(pick(7) - 3)
        case 6: Value(one([0.5, -1.5, 2.0, 1e300]))
        case 7: .string(one(["", "a", "b", "ab", "é"]))
        default: one([.array([1, "a"]), .array([]), .dictionary(["x": 1]), .array([2])])
        }
    }

    // MARK: - Expressions

    mutating func expression(_ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return leaf() }
        switch pick(8) {
        case 0:
            return .operation(expression(depth - 1), one([.add, .subtract, .multiply, .divide, .remainder]), leaf())
        case 1: return .minus(.path(path()))
        case 2:
            let branch = Conditional.Branch(when: condition(depth - 1), then: expression(depth - 1))
            return .conditional(Conditional(nil, [branch], otherwise: pick(2) == 0 ? leaf() : nil))
        case 3: return condition(depth - 1)
        case 4, 5: return made()
        default: return leaf()
        }
    }

    /// What is made of arrays and objects: by functions, stars, ARRAY and FIRST.
    private mutating func made() -> ExpressionTree {
        func call(_ name: String, _ arguments: ExpressionTree...) -> ExpressionTree {
            .call(FunctionCall(name, arguments))
        }
        let list = ExpressionTree.path(one([Path("l"), Path("l"), Path("m"), Path("a")]))
        let object = ExpressionTree.path(one([Path("o"), Path("o"), Path("c")]))
        let name = ExpressionTree.literal(.string(one(["x", "z"])))
        switch pick(10) {
        case 0: return call("ARRAY_CONCAT", list, .path(Path("l")))
        case 1: return call("ARRAY_REVERSE", list)
        case 2: return call("ARRAY_POSITION", list, literal())
        case 3: return call("ARRAY_UNION", list, .path(Path("l")), .array([literal(), leaf()]))
        case 4: return call("ARRAY_INTERSECT", .array([literal(), literal(), leaf()]), list)
        case 5: return call("OBJECT_PUT", object, name, leaf())
        case 6:
            return call(
                one(["OBJECT_CONCAT", "OBJECT_REMOVE"]), object, pick(3) == 0 ? leaf() : pick(2) == 0 ? object : name)
        case 7:
            return pick(2) == 0
                ? call("NVL", leaf(), leaf()) : call("DECODE", leaf(), literal(), leaf(), leaf(), leaf(), leaf())
        case 8: return .path(Path("m", [.star, .name(one(["k", "q"]))]))
        default:
            return .comprehension(
                Comprehension(
                    .path(one([Path("v"), Path("v", [.name("x")])])), for: "v", in: .path(Path("l")),
                    when: pick(3) == 0 ? nil : elementCondition("v"), kind: one(Comprehension.Kind.allCases)))
        }
    }

    mutating func condition(_ depth: Int) -> ExpressionTree {
        let operand = depth > 1 ? expression(depth - 1) : leaf()
        let comparison = one([BinaryOperator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
        switch pick(depth > 0 ? 13 : 3) {
        case 0, 1: return .operation(.path(path()), comparison, leaf())
        case 2: return .operation(operand, one([.is, .isNot]), .literal(one([.missing, .null])))
        case 3: return .and((0...pick(2)).map { _ in condition(depth - 1) } + [condition(0)])
        case 4: return .or((0...pick(2)).map { _ in condition(depth - 1) } + [condition(0)])
        case 5: return .not(condition(depth - 1))
        case 6: return .between(Between(.path(path()), leaf(), leaf(), isNegated: pick(4) == 0))
        case 7:
            return .membership(
                Membership(operand, .list((0...pick(3)).map { _ in literal() }), isNegated: pick(4) == 0))
        case 8:
            return .quantified(
                Quantified(one([.any, .any, .every]), "v", in: .path(Path("l")), satisfies: elementCondition("v")))
        case 9: return nestedSearch()
        case 11: return .operation(made(), comparison, leaf())
        case 10:
            return pick(2) == 0
                ? .membership(Membership(literal(), .elements(.path(Path("l"))), isNegated: pick(4) == 0))
                : .call(FunctionCall("ARRAY_CONTAINS", [.path(Path("l")), literal()]))
        default: return .isValued(.path(path()), isNegated: pick(2) == 0)
        }
    }

    /// Comparisons with the elements of an array that a name stands for.
    mutating func elementCondition(_ name: String) -> ExpressionTree {
        let terms = (0...pick(2)).map { _ -> ExpressionTree in
            let operand = ExpressionTree.path(one([Path(name), Path(name), Path(name, [.name("x")])]))
            switch pick(7) {
            case 6: return .operation(operand, one([.is, .isNot]), .literal(.missing))
            case 0: return .between(Between(operand, literal(), literal()))
            case 1: return .isValued(operand, isNegated: pick(3) == 0)
            case 2: return .membership(Membership(operand, .list([literal(), literal()]), isNegated: pick(4) == 0))
            default:
                return .operation(operand, one([.equal, .equal, .less, .lessOrEqual, .greater, .notEqual]), literal())
            }
        }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    /// ANY inside ANY.
    private mutating func nestedSearch() -> ExpressionTree {
        let inner = ExpressionTree.quantified(
            Quantified(.any, "w", in: .path(Path("u", [.name("q")])), satisfies: elementCondition("w")))
        let outer = ExpressionTree.operation(.path(Path("u", [.name("k")])), one([.equal, .less, .greater]), literal())
        let condition = one([inner, outer, .and([outer, inner])])
        return .quantified(Quantified(.any, "u", in: .path(Path("m")), satisfies: condition))
    }

    private mutating func leaf() -> ExpressionTree { pick(3) == 0 ? literal() : .path(path()) }

    private mutating func literal() -> ExpressionTree {
        .literal(
            one([
                .null, .boolean(true), .boolean(false), .number("0"), .number("1"), .number("-2"), .number("1.5"),
                .string("a"),
                .string(""), .number("2"),
            ]))
    }

    private mutating func path() -> Path {
        one([Path("a"), Path("b"), Path("c"), Path("o", [.name("x")]), Path("l", [.index(0)]), Path("a"), Path("b")])
    }
}
