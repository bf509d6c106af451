/// A member of an object literal: its name and its value.
package struct ObjectMember: Sendable, Equatable {
    package var name: String
    package var value: Expression

    package init(_ name: String, _ value: Expression) {
        self.name = name
        self.value = value
    }
}
