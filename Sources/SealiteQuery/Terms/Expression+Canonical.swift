internal import SealiteQueryLanguage

extension Tree.Expression {
    /// Returns the expression in which each part for which `transform` returns an expression is replaced by this
    /// expression; the other parts are transformed recursively. Nil if a part can't be traversed, such as a subquery or
    /// an aggregate. Paths that start with a variable of an enclosing ANY, EVERY or ARRAY aren't changed.
    func rewritten(_ transform: @escaping (Tree.Expression) throws -> Tree.Expression?) throws -> Tree.Expression? {
        if let replaced = try transform(self) { return replaced }
        func all(_ list: [Tree.Expression]) throws -> [Tree.Expression]? {
            var result: [Tree.Expression] = []
            for one in list {
                guard let changed = try one.rewritten(transform) else { return nil }
                result.append(changed)
            }
            return result
        }
        switch self {
        case .literal, .parameter: return self
        case .array(let elements): return try all(elements).map { .array($0) }
        case .object(let members):
            return try all(members.map(\.value)).map { values in
                .object(zip(members, values).map { LiteralMember($0.name, $1) })
            }
        case .property(let base, let steps): return try base.rewritten(transform).map { .property(of: $0, steps) }
        case .minus(let operand): return try operand.rewritten(transform).map { .minus($0) }
        case .not(let operand): return try operand.rewritten(transform).map { .not($0) }
        case .and(let terms): return try all(terms).map { .and($0) }
        case .or(let terms): return try all(terms).map { .or($0) }
        case .operation(let operation):
            return try all([operation.first] + operation.links.map(\.operand)).map { parts in
                .operation(
                    Operation(
                        first: parts[0], links: zip(operation.links, parts.dropFirst()).map { OperationLink($0.op, $1) }
                    ))
            }
        case .isValued(let operand, let isNegated):
            return try operand.rewritten(transform).map { .isValued($0, isNegated: isNegated) }
        case .collate(let operand, let collation):
            return try operand.rewritten(transform).map { .collate($0, collation) }
        case .call(let call)
        where call.filter == nil && call.window == nil
            && FunctionSignature.named(call.name)?.kind == .scalar:
            return try all(call.arguments).map { .call(FunctionCall(call.name, $0, at: call.position)) }
        case .between(let between):
            return try all([between.operand, between.lower, between.upper]).map {
                .between(Between($0[0], $0[1], $0[2], isNegated: between.isNegated))
            }
        case .like(let like):
            return try all([like.operand, like.pattern] + [like.escape].compactMap { $0 }).map {
                .like(Like($0[0], $0[1], escape: $0.dropFirst(2).first, isNegated: like.isNegated))
            }
        case .membership(let membership):
            guard let operand = try membership.operand.rewritten(transform) else { return nil }
            let candidates: Membership.Candidates? =
                switch membership.candidates {
                case .list(let list): try all(list).map { .list($0) }
                case .elements(let elements): try elements.rewritten(transform).map { .elements($0) }
                }
            return candidates.map { .membership(Membership(operand, $0, isNegated: membership.isNegated)) }
        case .conditional(let conditional):
            let parts = [conditional.operand, conditional.otherwise].compactMap { $0 }
            return try all(parts + conditional.branches.flatMap { [$0.condition, $0.result] }).map { changed in
                var rest = changed[...]
                let operand = conditional.operand.flatMap { _ in rest.popFirst() }
                let otherwise = conditional.otherwise.flatMap { _ in rest.popFirst() }
                assert(rest.count == conditional.branches.count * 2, "a branch has a condition and a result")
                let branches = stride(from: rest.startIndex, to: rest.endIndex, by: 2).map {
                    Conditional.Branch(when: rest[$0], then: rest[$0 + 1])
                }
                return .conditional(Conditional(operand, branches, otherwise: otherwise))
            }
        case .quantified(let quantified):
            guard let collection = try quantified.collection.rewritten(transform),
                let condition = try quantified.condition.rewritten(
                    Self.keeping(quantified.variable, transform))
            else { return nil }
            return .quantified(
                Quantified(quantified.quantifier, quantified.variable, in: collection, satisfies: condition))
        case .comprehension(let comprehension):
            let inner = Self.keeping(comprehension.variable, transform)
            let parts = [comprehension.element] + [comprehension.condition].compactMap { $0 }
            let changed = try parts.compactMap { try $0.rewritten(inner) }
            guard let collection = try comprehension.collection.rewritten(transform), changed.count == parts.count
            else { return nil }
            return .comprehension(
                Comprehension(
                    changed[0], for: comprehension.variable, in: collection, when: changed.dropFirst().first,
                    kind: comprehension.kind))
        default: return nil
        }
    }

    /// Returns whether `test` returns true for a part of the expression; parts for which it returns nil are searched
    /// recursively. Nil if a part can't be traversed, and none was found before it. If `test` throws, true.
    func has(_ test: @escaping (Tree.Expression) throws -> Bool?) -> Bool? {
        struct Found: Error {}
        do {
            let searched = try rewritten { part in
                guard let isFound = try test(part) else { return nil }
                if isFound { throw Found() }
                return part
            }
            return searched == nil ? nil : false
        } catch {
            return true
        }
    }

    /// Returns a transformation like the given one that leaves paths unchanged if they start with a variable.
    private static func keeping(
        _ variable: String, _ transform: @escaping (Tree.Expression) throws -> Tree.Expression?
    ) -> (Tree.Expression) throws -> Tree.Expression? {
        { part in
            if case .path(let path) = part, path.root == variable { return part }
            return try transform(part)
        }
    }

    /// The expression in which the variables of ANY, EVERY and ARRAY are named by their nesting depth: expressions that
    /// differ only in the names of variables become equal. Nil if the expression already contains such a name, or
    /// contains ANY, EVERY or ARRAY and a part that can't be traversed, such as a subquery.
    var withNumberedVariables: Tree.Expression? {
        struct Taken: Error {}
        func numbered(_ expression: Tree.Expression, _ names: [String]) throws -> Tree.Expression {
            let changed = try expression.rewritten { part in
                switch part {
                case .path(let path):
                    guard path.root.utf8.first != 0 else { throw Taken() }
                    guard let number = names.lastIndex(of: path.root) else { return part }
                    return .path(Tree.Path("\0\(number)", path.steps, at: path.position))
                case .quantified(let quantified):
                    return .quantified(
                        Quantified(
                            quantified.quantifier, "\0\(names.count)", in: try numbered(quantified.collection, names),
                            satisfies: try numbered(quantified.condition, names + [quantified.variable])))
                case .comprehension(let comprehension):
                    let inner = names + [comprehension.variable]
                    return .comprehension(
                        Comprehension(
                            try numbered(comprehension.element, inner), for: "\0\(names.count)",
                            in: try numbered(comprehension.collection, names),
                            when: try comprehension.condition.map { try numbered($0, inner) }, kind: comprehension.kind)
                    )
                default: return nil
                }
            }
            guard let changed else { throw Taken() }
            return changed
        }
        guard hasVariables else { return self }
        return try? numbered(self, [])
    }

    /// A Boolean value that says whether the expression contains ANY, EVERY or ARRAY. Parts that can't be traversed,
    /// such as subqueries and aggregates, aren't searched, nor is what follows them.
    var hasVariables: Bool {
        has { part in
            switch part {
            case .quantified, .comprehension: true
            case .path, .literal, .parameter: false
            default: nil
            }
        } ?? false
    }

    /// The expression over one document in the form in which equal expressions are recognized: keys of META are written
    /// `META().key`, and variables are numbered.
    var canonical: Tree.Expression {
        let changed = try? rewritten { part in
            switch part {
            case .path(let path):
                guard path.steps.isEmpty, let key = MetaKey.columnName(path.root) else { return part }
                return .property(.meta([], .none), [.name(key)])
            case .property(.meta(_, _), let steps):
                guard case .name(let name)? = steps.first, let key = MetaKey(name) else { return part }
                return .property(.meta([], .none), [.name(key.rawValue)])
            default: return nil
            }
        }
        let known = changed.flatMap { $0 } ?? self
        return known.withNumberedVariables ?? known
    }

    /// The terms that are connected by AND; the expression itself if there is no AND.
    var conjuncts: [Tree.Expression] {
        if case .and(let terms) = self { return terms.flatMap(\.conjuncts) }
        return [self]
    }
}
