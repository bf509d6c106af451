internal import SealiteQueryLanguage

/// An operand of a comparison that is being translated.
private struct Operand {
    private let made: SQLPiece
    /// The path to the operand's value, if one SQL function call can find the value and compare it in its stored form;
    /// otherwise nil.
    let located: Located?

    init(piece: SQLPiece) { (made, located) = (piece, nil) }

    init(_ located: Located) {
        self.located = located.isPlain ? located : nil
        made = located.isPlain ? .missing : SQLPiece(located.value)
    }

    /// The SQL of the operand's value, for a comparison that isn't made in the stored form.
    var piece: SQLPiece { located.map { SQLPiece($0.value) } ?? made }

    /// The kind of values that the operand can have.
    var form: SQLPiece.Form { made.form }
}

extension Translator {
    private mutating func operand(_ expression: Tree.Expression, _ scope: NameScope) throws -> Operand {
        guard let located = try self.located(expression, scope) else {
            return Operand(piece: try piece(expression, scope))
        }
        return Operand(located)
    }

    /// The SQL of the collation as the last argument of a comparison function, after a comma; empty without a
    /// collation.
    private var collationArgument: String { collation.map { ", \(SQLText.string($0))" } ?? "" }

    // MARK: - Chains

    mutating func operation(_ operation: SealiteQueryLanguage.Operation, _ scope: NameScope) throws -> SQLPiece {
        var left = try operand(operation.first, scope)
        var rest = operation.links[...]
        while let link = rest.popFirst() {
            switch link.op {
            case .add, .multiply, .concatenate:
                // A chain of equal operators becomes one call, because SQLite limits the nesting of calls.
                var operands = [left.piece.value, try value(link.operand, scope)]
                while let next = rest.first, next.op == link.op, operands.count < SQLText.argumentLimit {
                    operands.append(try value(next.operand, scope))
                    rest.removeFirst()
                }
                left = Operand(piece: SQLPiece("query_\(link.op.function)(\(operands.joined(separator: ", ")))"))
            case .subtract, .divide, .remainder:
                let right = try value(link.operand, scope)
                left = Operand(piece: SQLPiece("query_\(link.op.function)(\(left.piece.value), \(right))"))
            default:
                left = Operand(piece: try compare(left, link, scope))
            }
        }
        return left.piece
    }

    private mutating func compare(
        _ left: Operand, _ link: OperationLink, _ scope: NameScope
    ) throws -> SQLPiece {
        switch (link.op, link.operand) {
        case (.is, .literal(.missing)): return SQLPiece("(\(left.piece.value) IS NULL)", .truth)
        case (.isNot, .literal(.missing)): return SQLPiece("(\(left.piece.value) IS NOT NULL)", .truth)
        case (.is, .literal(.null)): return equal(left, Operand(piece: .null))
        case (.isNot, .literal(.null)): return unequal(left, Operand(piece: .null))
        default: break
        }
        let right = try operand(link.operand, scope)
        switch link.op {
        case .equal: return equal(left, right)
        case .notEqual: return unequal(left, right)
        case .is: return SQLPiece("query_is(\(left.piece.value), \(right.piece.value)\(collationArgument))", .boolean)
        case .isNot:
            return SQLPiece(
                "(query_is(\(left.piece.value), \(right.piece.value)\(collationArgument)) = x'02')", .truth)
        case .less: return relation(left, "<", right)
        case .lessOrEqual: return relation(left, "<=", right)
        case .greater: return relation(left, ">", right)
        case .greaterOrEqual: return relation(left, ">=", right)
        default: throw QueryFailure("Unknown operator '\(link.op.rawValue)'")
        }
    }

    // MARK: - Comparisons

    private func unequal(_ left: Operand, _ right: Operand) -> SQLPiece {
        let equal = equal(left, right)
        let isBoolean = equal.form == .boolean
        return SQLPiece(
            isBoolean ? SQLText.joined("(", equal.sql, " = x'02')") : SQLText.joined("(NOT ", equal.sql, ")"), .truth)
    }

    private func equal(_ left: Operand, _ right: Operand) -> SQLPiece {
        guard collation == nil else { return function("query_equal", left, right) }
        switch (left.form, right.form) {
        case (.number, .number), (.text, .text):
            return SQLPiece("(\(left.piece.sql) = \(right.piece.sql))", .truth)
        case (.text, _) where left.piece.isDocumentID: return Self.identifier(left.piece, right.piece)
        case (_, .text) where right.piece.isDocumentID: return Self.identifier(right.piece, left.piece)
        default: break
        }
        if let located = left.located { return Self.test("=", right.piece, located) }
        if let located = right.located { return Self.test("=", left.piece, located) }
        return function("query_equal", left, right)
    }

    /// Compares a document's ID with any other value, so that SQLite can use the index of IDs. The check of the type is
    /// needed because SQLite would convert a number to text for the comparison with the column.
    private static func identifier(_ id: SQLPiece, _ other: SQLPiece) -> SQLPiece {
        let value = other.value
        return SQLPiece("(\(id.sql) = \(value) AND typeof(\(value)) IN ('text', 'null'))", .truth)
    }

    /// Compares the value at a path with another value, without copying the value at the path. The value at the path is
    /// the left operand.
    private static func test(_ symbol: String, _ constant: SQLPiece, _ located: Located) -> SQLPiece {
        let sql = SQLText.joined(
            SQLPiece.test, "('", symbol, "', ", constant.value, ", ", located.arguments, ")")
        return SQLPiece(sql, .boolean)
    }

    private func function(_ name: String, _ left: Operand, _ right: Operand) -> SQLPiece {
        SQLPiece("\(name)(\(left.piece.value), \(right.piece.value)\(collationArgument))", .boolean)
    }

    private func relation(_ left: Operand, _ symbol: String, _ right: Operand) -> SQLPiece {
        if collation == nil {
            if left.form == .number, right.form == .number {
                return SQLPiece("(\(left.piece.sql) \(symbol) \(right.piece.sql))", .truth)
            }
            if let located = left.located { return Self.test(symbol, right.piece, located) }
            if let located = right.located {
                let mirrored = ["<": ">", "<=": ">=", ">": "<", ">=": "<="][symbol] ?? symbol
                return Self.test(mirrored, left.piece, located)
            }
        }
        return switch symbol {
        case "<": function("query_less", left, right)
        case "<=": function("query_less_equal", left, right)
        case ">": function("query_less", right, left)
        default: function("query_less_equal", right, left)
        }
    }

    mutating func between(_ between: Between, _ scope: NameScope) throws -> SQLPiece {
        let operand = try operand(between.operand, scope)
        let lower = relation(operand, ">=", try self.operand(between.lower, scope))
        let upper = relation(operand, "<=", try self.operand(between.upper, scope))
        let both = "(\(lower.truth) AND \(upper.truth))"
        return SQLPiece(between.isNegated ? "(NOT \(both))" : both, .truth)
    }

    mutating func like(_ like: Like, _ scope: NameScope) throws -> SQLPiece {
        var rest = ")"
        if like.escape != nil || collation != nil {
            let escape = try like.escape.map { try value($0, scope) } ?? "'\\'"
            rest = SQLText.joined(", ", escape, collationArgument, ")")
        }
        let sql = SQLText.joined(
            "query_like(", try value(like.operand, scope), ", ", try value(like.pattern, scope), rest)
        return like.isNegated ? SQLPiece("(\(sql) = x'02')", .truth) : SQLPiece(sql, .boolean)
    }

    // MARK: - IN

    mutating func membership(_ membership: Membership, _ scope: NameScope) throws -> SQLPiece {
        let piece = try self.candidates(membership, scope)
        return membership.isNegated ? SQLPiece(piece.negatedExactly, .truth) : piece
    }

    mutating func candidates(_ membership: Membership, _ scope: NameScope) throws -> SQLPiece {
        switch membership.candidates {
        case .list(let list): return try listed(membership.operand, list, scope)
        case .elements(.subquery(let query)):
            let translated = try apart { try $0.query(query, scope) }
            guard translated.columns.count == 1 else {
                throw QueryFailure("a query after IN must have one column; this one has \(translated.columns.count)")
            }
            let rows = "SELECT query_group(c0) FROM (\(translated.sql)) WHERE c0 IS NOT NULL"
            return SQLPiece("(query_group(\(try value(membership.operand, scope))) IN (\(rows)))", .truth)
        case .elements(let container):
            let operand = try value(membership.operand, scope)
            if collation == nil, let located = try located(container, scope), located.isPlain {
                return SQLPiece(
                    "query_contains_path(\(operand), \(located.arguments))", .boolean)
            }
            return SQLPiece("query_array_contains(\(try value(container, scope)), \(operand))", .boolean)
        }
    }

    private mutating func listed(
        _ expression: Tree.Expression, _ list: [Tree.Expression], _ scope: NameScope
    ) throws -> SQLPiece {
        let operand = try operand(expression, scope)
        guard !list.isEmpty else { return SQLPiece("(\(operand.piece.value) IS NULL AND NULL)", .truth) }
        let isTextOnly = list.allSatisfy { if case .literal(.string) = $0 { true } else { false } }
        let isScalar = list.allSatisfy { if case .literal(let literal) = $0 { literal != .missing } else { false } }
        var (terms, others): ([String], [Tree.Expression]) = ([], list)
        if collation == nil, isScalar, isTextOnly || !operand.piece.isDocumentID {
            others = list.filter(\.isBigNumber)
            let values = try list.filter { !$0.isBigNumber }.map { try value($0, scope) }
            if !values.isEmpty { terms.append("(\(operand.piece.value) IN (\(values.joined(separator: ", "))))") }
            if others.isEmpty { return SQLPiece(terms[0], .truth) }
        }
        for candidate in others { terms.append(equal(operand, try self.operand(candidate, scope)).truth) }
        assert(!terms.isEmpty, "each value of the list is compared")
        return SQLPiece("(\(terms.joined(separator: " OR ")))", .truth)
    }
}

extension Tree.Expression {
    /// A Boolean value that says whether the expression is a number whose query value SQL can't compare, a BLOB.
    fileprivate var isBigNumber: Bool {
        if case .literal(.number(let text)) = self { SQLText.isBig(text) } else { false }
    }
}

extension SQLPiece {
    /// A Boolean value that says whether the piece is the column with the documents' IDs.
    fileprivate var isDocumentID: Bool { form == .text && (sql == "id" || sql.hasSuffix(".id")) && !sql.contains("(") }

    /// The SQL condition that is true only if the piece is false, not if it is NULL or MISSING.
    fileprivate var negatedExactly: String { form == .boolean ? "(\(sql) = x'02')" : "(NOT \(truth))" }
}

extension BinaryOperator {
    /// The name, after `query_`, of the SQL function that computes the operator, which is an arithmetic one or `||`.
    fileprivate var function: String {
        switch self {
        case .add: "add"
        case .subtract: "subtract"
        case .multiply: "multiply"
        case .divide: "divide"
        case .remainder: "remainder"
        default: "concat"
        }
    }
}
