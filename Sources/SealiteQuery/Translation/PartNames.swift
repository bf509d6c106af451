internal import SealiteQueryLanguage

/// The names of parts of an expression, while it is translated to SQL: `(WITH s1(v) AS (SELECT part) SELECT … (SELECT v
/// FROM s1) …)`.
///
/// SQLite's parser has a stack of 100 symbols, which limits the nesting to about thirty calls. A deeper part gets a
/// name and is placed before the expression. Expressions with names of their own aren't divided: subqueries,
/// aggregates, and expressions over the elements of ANY, EVERY and ARRAY are handled separately.
struct PartNames {
    /// The number of symbols on the stack of SQLite's parser above which a part of an expression gets a name.
    private static let most = 56
    /// The number of symbols that a subquery adds to the stack of SQLite's parser around an expression.
    private static let subquery = 12

    /// The number of symbols on the stack of SQLite's parser between the whole expression, or the part with a name, and
    /// the expression that is being translated.
    var depth = 0
    private(set) var limit = most
    /// The outermost expression that is being translated, and its scope; nil if none is being translated.
    fileprivate private(set) var whole: (expression: Tree.Expression, scope: NameScope)?
    private var parts: [String] = []

    /// A Boolean value that says whether an expression is being translated.
    private(set) var isInside = false

    mutating func enter(_ expression: Tree.Expression, _ scope: NameScope) {
        assert(!isInside && parts.isEmpty, "one expression is translated at a time")
        whole = (expression, scope)
        isInside = true
    }

    mutating func leave() {
        assert(isInside, "what is left was entered")
        isInside = false
        whole = nil
        if !parts.isEmpty { parts = [] }
    }

    /// The initial state for a subquery inside the expression, which has names of its own parts.
    fileprivate var ofSubquery: PartNames {
        var names = PartNames()
        names.limit = max(limit - depth - Self.subquery, 16)
        return names
    }

    /// Gives a name to a part of the expression, and returns the SQL that stands for the part in the expression.
    mutating func name(_ part: SQLPiece, _ name: String) -> SQLPiece {
        assert(isInside, "only a part of an expression has a name")
        parts.append("\(name)(v) AS (SELECT \(part.sql))")
        return SQLPiece("(SELECT v FROM \(name))", part.form)
    }

    /// Returns the SQL of the outermost expression, preceded by the parts that have names.
    func around(_ piece: SQLPiece) -> SQLPiece {
        guard !parts.isEmpty else { return piece }
        return SQLPiece("(WITH \(parts.joined(separator: ", ")) SELECT \(piece.sql))", piece.form)
    }
}

extension Translator {
    /// Translates a subquery, an aggregate or another expression whose parts get names independently of the enclosing
    /// expression.
    mutating func apart<Part>(_ translate: (inout Translator) throws -> Part) throws -> Part {
        let outer = names
        names = outer.ofSubquery
        defer { names = outer }
        let part = try translate(&self)
        assert(!names.isInside, "what was entered is left")
        return part
    }

    /// Returns whether parts of the outermost expression may get names.
    ///
    /// - Throws: `QueryFailure` for an expression of an index, in which they can't and which is therefore nested too
    ///   deeply.
    func allowsNames() throws -> Bool {
        guard let (expression, scope) = names.whole else { return false }
        guard canNameParts else {
            throw QueryFailure("an index has an expression or a condition that is nested too deeply")
        }
        return !hasAggregates(expression, scope)
    }

    /// Returns whether an expression contains an aggregate, a window function, or a part that can't be traversed.
    private func hasAggregates(_ expression: Tree.Expression, _ scope: NameScope) -> Bool {
        expression.has { part in
            switch part {
            case .path(let path):
                guard case .definition(let definition, _) = try self.reference(path, scope) else { return false }
                return self.hasAggregates(definition.expression, definition.scope)
            case .subquery, .exists: return false
            default: return nil
            }
        } ?? true
    }
}

extension Tree.Expression {
    /// The number of symbols that the SQL around an operand of the expression adds to the stack of SQLite's parser.
    var parserDepth: Int {
        switch self {
        case .literal, .path, .star, .parameter, .meta, .match, .rank, .collate: 0
        case .and, .or, .not: 3
        case .call, .minus, .property: 4
        case .array, .object, .operation: 5
        case .like, .between, .membership, .isValued: 6
        case .conditional: 8
        case .quantified, .comprehension, .exists, .subquery: 10
        }
    }
}
