/// A name and a value of an object literal.
package struct ObjectMember: Sendable, Equatable {
    package var name: String
    package var value: Expression

    package init(_ name: String, _ value: Expression) {
        self.name = name
        self.value = value
    }
}
