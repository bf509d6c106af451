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
