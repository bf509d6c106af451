/// A definition `name = value` of a LET clause.
package struct Binding: Sendable, Equatable {
    package var name: String
    package var value: Expression

    package init(_ name: String, _ value: Expression) {
        self.name = name
        self.value = value
    }
}
