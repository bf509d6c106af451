/// A definition `name = value` of a LET clause.
package struct Binding: Sendable, Equatable {
    package var name: String
    package var value: Expression
    /// The position of the name in the query's text.
    package var position: SourcePosition

    package init(_ name: String, _ value: Expression, at position: SourcePosition = .none) {
        self.name = name
        self.value = value
        self.position = position
    }
}
