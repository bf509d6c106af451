/// An expression for an array that is made from the elements of another one: `ARRAY element FOR variable IN collection
/// WHEN condition END`.
package struct Comprehension: Sendable, Equatable {
    package var element: Expression
    package var variable: String
    package var collection: Expression
    package var condition: Expression?

    package init(_ element: Expression, for variable: String, in collection: Expression, when: Expression? = nil) {
        self.element = element
        self.variable = variable
        self.collection = collection
        condition = when
    }
}
