/// The precedence levels of the operators of SQL++, lowest first.
package enum Precedence: Int, Sendable, Comparable {
    case collation, disjunction, conjunction, negation, equality, relation, sum, product, concatenation, prefix, operand

    /// The next higher precedence; `operand` for itself.
    var tighter: Precedence { Precedence(rawValue: rawValue + 1) ?? .operand }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
