/// An expression of SQL++, as a syntax tree.
///
/// Chains of operators are flat: `a + b - c` is one node with three operands. A chain of any length is therefore read,
/// printed and released without recursion. The functions of the extension below keep them flat.
package indirect enum ExpressionTree: Sendable, Equatable {
    /// A literal value.
    case literal(Literal)
    /// A property, an alias or a variable; only name resolution distinguishes them.
    case path(Path)
    /// All properties of a source: `*` for the only source, `a.*` for the source that the names refer to. Allowed in a
    /// result list, or as the only argument of an aggregate.
    case star([String], SourcePosition)
    /// `$name`
    case parameter(String, SourcePosition)
    /// `[a, b]`
    case array([ExpressionTree])
    /// `{'x': a}`
    case object([LiteralMember])
    /// Steps into the value of an expression that is not itself a path: `f(x).y[0]`.
    case property(ExpressionTree, [PathStep])
    /// `-a`
    case minus(ExpressionTree)
    /// `NOT a`
    case not(ExpressionTree)
    /// `a AND b AND c`
    case and([ExpressionTree])
    /// `a OR b OR c`
    case or([ExpressionTree])
    /// Binary operators of one precedence, from left to right: `a + b - c`.
    case operation(Operation)
    /// `a IS VALUED`, `a IS NOT VALUED`
    case isValued(ExpressionTree, isNegated: Bool)
    /// `a LIKE b`
    case like(Like)
    /// `a BETWEEN b AND c`
    case between(Between)
    /// `a IN (b, c)`, `a IN b`
    case membership(Membership)
    /// `ANY v IN a SATISFIES b END`
    case quantified(Quantified)
    /// `ARRAY a FOR v IN b WHEN c END`, `FIRST a FOR v IN b WHEN c END`
    case comprehension(Comprehension)
    /// `CASE a WHEN b THEN c ELSE d END`
    case conditional(Conditional)
    /// `a COLLATE NOCASE`
    case collate(ExpressionTree, CollateClause)
    /// `f(a, b)`
    case call(FunctionCall)
    /// `META()`, `META(a)`: the metadata of the source that the names refer to; without names, of the first source.
    case meta([String], SourcePosition)
    /// `MATCH(index, query)`. The names of the index are its name, optionally preceded by the names of its source.
    case match(index: [String], query: ExpressionTree, SourcePosition)
    /// `RANK(index, weight, …)`. The names of the index are its name, optionally preceded by the names of its source.
    case rank(index: [String], weights: [ExpressionTree], SourcePosition)
    /// `EXISTS (SELECT …)`
    case exists(QueryTree)
    /// `(SELECT …)`
    case subquery(QueryTree)
}

extension ExpressionTree {
    /// Returns the conjunction of two conditions. If the left one is a conjunction, it is extended instead of being
    /// nested, as in parsed trees.
    package static func and(_ left: ExpressionTree, _ right: ExpressionTree) -> ExpressionTree {
        if case .and(let terms) = left { return .and(terms + [right]) }
        return .and([left, right])
    }

    /// Returns the disjunction of two conditions. If the left one is a disjunction, it is extended instead of being
    /// nested, as in parsed trees.
    package static func or(_ left: ExpressionTree, _ right: ExpressionTree) -> ExpressionTree {
        if case .or(let terms) = left { return .or(terms + [right]) }
        return .or([left, right])
    }

    /// Returns a binary operation. If the left operand is an operation of the same precedence, it is extended instead
    /// of being nested, as in parsed trees.
    package static func operation(_ left: ExpressionTree, _ op: BinaryOperator, _ right: ExpressionTree)
        -> ExpressionTree
    {
        .operation(left, [OperationLink(op, right)])
    }

    /// Returns the operations of one precedence that are applied to an expression from left to right. If the expression
    /// is an operation of the same precedence, it is extended.
    static func operation(_ first: ExpressionTree, _ links: [OperationLink]) -> ExpressionTree {
        guard let level = links.first?.op.level else { return first }
        if case .operation(let chain) = first, chain.level == level {
            return .operation(Operation(first: chain.first, links: chain.links + links))
        }
        return .operation(Operation(first: first, links: links))
    }

    /// Returns the path of the given names, such as `a.b`; nil without names.
    package static func path(_ names: String...) -> ExpressionTree? {
        guard let root = names.first else { return nil }
        return .path(Path(root, names.dropFirst().map { .name($0) }))
    }

    /// Returns the expression for the value to which steps lead from the value of an expression. If the expression is a
    /// path, the steps are appended to it.
    package static func property(of base: ExpressionTree, _ steps: [PathStep]) -> ExpressionTree {
        switch base {
        case _ where steps.isEmpty: base
        case .path(let path): .path(Path(path.root, path.steps + steps, at: path.position))
        case .property(let inner, let first): .property(inner, first + steps)
        default: .property(base, steps)
        }
    }
}

/// A literal value of a query.
package enum Literal: Sendable, Equatable {
    case missing
    case null
    case boolean(Bool)
    /// A number as JSON text, so that no digit is lost.
    case number(String)
    case string(String)
    /// A value or a key path that was passed to the query builder and that a query can't contain, with the reason.
    /// SQL++ has no text for it.
    case unusable(String)

    /// Strings are equal if they have the same bytes, as those of documents are compared.
    package static func == (left: Literal, right: Literal) -> Bool {
        switch (left, right) {
        case (.missing, .missing), (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.unusable(let left), .unusable(let right)): left == right
        case (.missing, _), (.null, _), (.boolean, _), (.number, _), (.string, _), (.unusable, _): false
        }
    }

    /// Returns the literal of an integer.
    package static func integer(_ value: Int64) -> Literal { .number(String(value)) }

    /// A Boolean value that says whether the literal is a number written without fraction and exponent.
    package var isInteger: Bool {
        guard case .number(let text) = self else { return false }
        return text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) }
    }
}

/// A chain of binary operators of one precedence, applied from left to right: `a + b - c`.
package struct Operation: Sendable, Equatable {
    /// The leftmost operand.
    package var first: ExpressionTree
    /// The operators with their right operands, at least one.
    package var links: [OperationLink]

    /// The precedence that all operators share.
    package var level: Precedence { links.first?.op.level ?? .operand }

    package init(first: ExpressionTree, links: [OperationLink]) {
        self.first = first
        self.links = links
    }
}

/// A binary operator and its right operand, in a chain of operators of one precedence.
package struct OperationLink: Sendable, Equatable {
    package var op: BinaryOperator
    package var operand: ExpressionTree

    package init(_ op: BinaryOperator, _ operand: ExpressionTree) {
        self.op = op
        self.operand = operand
    }
}

/// A binary operator with a symbol, or the word IS. AND, OR, LIKE, BETWEEN and IN are separate kinds of expressions.
package enum BinaryOperator: String, Sendable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case `is` = "IS"
    case isNot = "IS NOT"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case concatenate = "||"

    /// The operator's precedence.
    package var level: Precedence {
        switch self {
        case .equal, .notEqual, .is, .isNot: .equality
        case .less, .lessOrEqual, .greater, .greaterOrEqual: .relation
        case .add, .subtract: .sum
        case .multiply, .divide, .remainder: .product
        case .concatenate: .concatenation
        }
    }
}

/// The precedence levels of the operators of SQL++, lowest first.
package enum Precedence: Int, Sendable, Comparable {
    case collation, disjunction, conjunction, negation, equality, relation, sum, product, concatenation, prefix, operand

    /// The next higher precedence; `operand` for itself.
    var tighter: Precedence { Precedence(rawValue: rawValue + 1) ?? .operand }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The rules of a COLLATE by which strings are compared; nil properties stand for defaults.
package struct CollateClause: Sendable, Equatable {
    /// A Boolean value that says whether strings are compared by the Unicode collation algorithm; nil and false stand
    /// for a comparison of bytes.
    package var unicode: Bool?
    /// A Boolean value that says whether differences of case matter; nil stands for true. If strings are compared by
    /// bytes, false ignores only the case of A to Z.
    package var caseSensitive: Bool?
    /// A Boolean value that says whether differences of diacritics matter; nil stands for true. It has no effect unless
    /// `unicode` is true.
    package var diacriticSensitive: Bool?
    /// The locale of the Unicode collation, such as `sv`; nil for the root locale. It has no effect unless `unicode` is
    /// true.
    package var locale: String?

    package init(
        unicode: Bool? = nil, caseSensitive: Bool? = nil, diacriticSensitive: Bool? = nil, locale: String? = nil
    ) {
        self.unicode = unicode
        self.caseSensitive = caseSensitive
        self.diacriticSensitive = diacriticSensitive
        self.locale = locale
    }
}

/// The condition `operand BETWEEN lower AND upper`, both bounds included, or its negation with NOT.
package struct Between: Sendable, Equatable {
    package var operand: ExpressionTree
    package var lower: ExpressionTree
    package var upper: ExpressionTree
    package var isNegated: Bool

    package init(_ operand: ExpressionTree, _ lower: ExpressionTree, _ upper: ExpressionTree, isNegated: Bool = false) {
        self.operand = operand
        self.lower = lower
        self.upper = upper
        self.isNegated = isNegated
    }
}

/// The condition `operand LIKE pattern ESCAPE escape`, or its negation with NOT.
package struct Like: Sendable, Equatable {
    package var operand: ExpressionTree
    package var pattern: ExpressionTree
    /// The expression of the escape character; nil stands for the backslash.
    package var escape: ExpressionTree?
    package var isNegated: Bool

    package init(
        _ operand: ExpressionTree, _ pattern: ExpressionTree, escape: ExpressionTree? = nil, isNegated: Bool = false
    ) {
        self.operand = operand
        self.pattern = pattern
        self.escape = escape
        self.isNegated = isNegated
    }
}

/// The condition `operand IN candidates`, or its negation with NOT.
package struct Membership: Sendable, Equatable {
    /// The values that the operand is compared with.
    package enum Candidates: Sendable, Equatable {
        /// A literal list: `(a, b)` or `[a, b]`.
        case list([ExpressionTree])
        /// The elements of an array, or the rows of a subquery. The expression is a subquery, which steps of a path may
        /// follow, or an operand that begins neither with a parenthesis nor with a bracket, since either would begin a
        /// list after IN.
        case elements(ExpressionTree)
    }

    package var operand: ExpressionTree
    package var candidates: Candidates
    package var isNegated: Bool

    package init(_ operand: ExpressionTree, _ candidates: Candidates, isNegated: Bool = false) {
        self.operand = operand
        self.candidates = candidates
        self.isNegated = isNegated
    }
}

/// A conditional expression: `CASE operand WHEN … THEN … ELSE … END`. With an operand, the result is that of the first
/// branch whose value equals it; without one, that of the first branch whose condition is true.
package struct Conditional: Sendable, Equatable {
    /// One `WHEN … THEN …`: a condition, or a value to compare with the operand; and the result.
    package struct Branch: Sendable, Equatable {
        package var condition: ExpressionTree
        package var result: ExpressionTree

        package init(when condition: ExpressionTree, then result: ExpressionTree) {
            self.condition = condition
            self.result = result
        }
    }

    package var operand: ExpressionTree?
    /// The branches in the order in which they are tried, at least one.
    package var branches: [Branch]
    package var otherwise: ExpressionTree?

    package init(_ operand: ExpressionTree? = nil, _ branches: [Branch], otherwise: ExpressionTree? = nil) {
        self.operand = operand
        self.branches = branches
        self.otherwise = otherwise
    }
}

/// A member of an object literal: its name and its value.
package struct LiteralMember: Sendable, Equatable {
    package var name: String
    package var value: ExpressionTree

    package init(_ name: String, _ value: ExpressionTree) {
        self.name = name
        self.value = value
    }
}

/// An expression over the elements of an array that fulfil a condition: `ARRAY element FOR variable IN collection WHEN
/// condition END`, also with FIRST.
package struct Comprehension: Sendable, Equatable {
    /// The result: which of the values of `element` it has.
    package enum Kind: String, Sendable, CaseIterable {
        /// An array of all values.
        case array = "ARRAY"
        /// The value for the first element.
        case first = "FIRST"
    }

    package var kind: Kind
    package var element: ExpressionTree
    package var variable: String
    package var collection: ExpressionTree
    package var condition: ExpressionTree?

    package init(
        _ element: ExpressionTree, for variable: String, in collection: ExpressionTree, when: ExpressionTree? = nil,
        kind: Kind = .array
    ) {
        self.kind = kind
        self.element = element
        self.variable = variable
        self.collection = collection
        condition = when
    }
}

/// `ANY variable IN collection SATISFIES condition END`, also with EVERY or ANY AND EVERY.
package struct Quantified: Sendable, Equatable {
    /// The quantifier: how many elements must satisfy the condition.
    package enum Quantifier: String, Sendable, CaseIterable {
        /// At least one element; also written SOME.
        case any = "ANY"
        /// All elements; true if there are none.
        case every = "EVERY"
        /// All elements, of which there must be at least one.
        case anyAndEvery = "ANY AND EVERY"
    }

    package var quantifier: Quantifier
    package var variable: String
    package var collection: ExpressionTree
    package var condition: ExpressionTree

    package init(_ quantifier: Quantifier, _ variable: String, in collection: ExpressionTree, satisfies: ExpressionTree)
    {
        self.quantifier = quantifier
        self.variable = variable
        self.collection = collection
        condition = satisfies
    }
}
