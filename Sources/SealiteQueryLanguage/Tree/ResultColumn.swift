/// An expression in the results of a SELECT or of RETURNING, and its alias.
package struct ResultColumn: Sendable, Equatable {
    package var expression: Expression
    package var alias: String?
    /// The position of the expression in the query's text.
    package var position: SourcePosition

    package init(_ expression: Expression, as alias: String? = nil, at position: SourcePosition = .none) {
        self.expression = expression
        self.alias = alias
        self.position = position
    }
}
