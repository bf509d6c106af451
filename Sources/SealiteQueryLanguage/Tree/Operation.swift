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

/// The precedence levels, lowest first.
package enum Precedence: Int, Sendable, Comparable {
    case collation, disjunction, conjunction, negation, equality, relation, sum, product, concatenation, prefix, operand

    /// The next higher precedence.
    var tighter: Precedence { Precedence(rawValue: rawValue + 1) ?? .operand }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Binary operators of one precedence, applied from left to right.
package struct Operation: Sendable, Equatable {
    /// The leftmost operand.
    package var first: Expression
    /// The operators and their right operands, at least one.
    package var links: [OperationLink]

    /// The precedence that all operators share.
    package var level: Precedence { links.first?.op.level ?? .operand }

    package init(first: Expression, links: [OperationLink]) {
        self.first = first
        self.links = links
    }
}

/// A binary operator and its right operand.
package struct OperationLink: Sendable, Equatable {
    package var op: BinaryOperator
    package var operand: Expression

    package init(_ op: BinaryOperator, _ operand: Expression) {
        self.op = op
        self.operand = operand
    }
}
