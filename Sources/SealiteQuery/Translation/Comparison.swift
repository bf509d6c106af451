internal import SealiteQueryLanguage

/// A comparison of an expression over a document with values, which is true for a document for which a term of WHERE is
/// true.
struct Comparison {
    let operand: Tree.Expression
    let relation: KeyBound.Relation
    let values: [Tree.Expression]
    let collation: String?

    /// Returns the comparisons that are true if a term is true; empty if none is known.
    static func all(of term: Tree.Expression, collation: String? = nil) -> [Comparison] {
        switch term {
        case .collate(let inner, let given) where collation == nil: return all(of: inner, collation: given.name)
        case .operation(let operation) where operation.links.count == 1:
            let link = operation.links[0]
            return of(operation.first, link.op, link.operand, collation)
        case .between(let between) where !between.isNegated:
            return [
                Comparison(
                    operand: between.operand, relation: .greaterOrEqual, values: [between.lower], collation: collation),
                Comparison(
                    operand: between.operand, relation: .lessOrEqual, values: [between.upper], collation: collation),
            ]
        case .membership(let membership) where !membership.isNegated:
            guard case .list(let list) = membership.candidates, !list.isEmpty, list.count <= 100 else { return [] }
            return [Comparison(operand: membership.operand, relation: .oneOf, values: list, collation: collation)]
        case .isValued(let operand, isNegated: false):
            return [Comparison(operand: operand, relation: .valued, values: [], collation: collation)]
        case .like(let like):
            guard let prefix = like.prefix(collation) else { return [] }
            let values = [Tree.Expression.literal(.string(prefix))]
            return [Comparison(operand: like.operand, relation: .prefix, values: values, collation: collation)]
        case .quantified: return [isTrue(term, true, collation)]
        case .not(.quantified(let quantified)): return [isTrue(.quantified(quantified), false, collation)]
        default: return []
        }
    }

    /// Returns the comparison that says that a condition equals true or false.
    private static func isTrue(_ condition: Tree.Expression, _ value: Bool, _ collation: String?) -> Comparison {
        Comparison(operand: condition, relation: .equal, values: [.literal(.boolean(value))], collation: collation)
    }

    private static func of(
        _ left: Tree.Expression, _ op: BinaryOperator, _ right: Tree.Expression, _ collation: String?
    ) -> [Comparison] {
        let relations: (KeyBound.Relation, KeyBound.Relation)? =
            switch op {
            case .equal: (.equal, .equal)
            case .less: (.less, .greater)
            case .lessOrEqual: (.lessOrEqual, .greaterOrEqual)
            case .greater: (.greater, .less)
            case .greaterOrEqual: (.greaterOrEqual, .lessOrEqual)
            default: nil
            }
        if let relations {
            return [
                Comparison(operand: left, relation: relations.0, values: [right], collation: collation),
                Comparison(operand: right, relation: relations.1, values: [left], collation: collation),
            ]
        }
        let unary: KeyBound.Relation? =
            switch (op, right) {
            case (.is, .literal(.missing)): .missing
            case (.isNot, .literal(.missing)): .present
            case (.isNot, .literal(.null)): .valued
            default: nil
            }
        if let unary { return [Comparison(operand: left, relation: unary, values: [], collation: collation)] }
        guard op == .is else { return [] }
        // A literal isn't MISSING here, so that IS has the meaning of `=`.
        let relation: KeyBound.Relation = if case .literal = right { .equal } else { .identical }
        return [Comparison(operand: left, relation: relation, values: [right], collation: collation)]
    }
}

extension Like {
    /// Returns the text with which every text that matches the pattern begins, under the comparison of bytes
    /// (`collation` nil) or `nocase`, for which A to Z are returned as a to z. Nil if there is no such text or it isn't
    /// known: for another collation, NOT LIKE, ESCAPE and a pattern that isn't a literal. Also nil if a number could
    /// begin with it, because LIKE compares a number by its text.
    func prefix(_ collation: String?) -> String? {
        guard !isNegated, escape == nil, collation == nil || collation == "nocase",
            case .literal(.string(let pattern)) = pattern
        else { return nil }
        var prefix = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if !isEscaped, scalar == "\\" {
                isEscaped = true
                continue
            }
            if !isEscaped, scalar == "%" || scalar == "_" { break }
            isEscaped = false
            // With NOCASE, keys contain A to Z as a to z.
            let isFolded = collation != nil && ("A"..."Z").contains(scalar)
            prefix.append(isFolded ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
        }
        guard let first = prefix.first, !("0"..."9").contains(first), !["-", "+", "."].contains(first) else {
            return nil
        }
        return String(prefix)
    }
}

extension Tree.Expression {
    /// The least text that is greater than all texts whose prefix is the expression, a string literal; nil if there is
    /// none, and for any other expression.
    var prefixEnd: String? {
        guard case .literal(.string(let prefix)) = self else { return nil }
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            // U+D800 to U+DFFF are surrogates and can't be in a text.
            guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            scalars.append(next)
            return String(scalars)
        }
        return nil
    }
}
