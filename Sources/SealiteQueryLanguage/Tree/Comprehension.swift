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
    package var element: Expression
    package var variable: String
    package var collection: Expression
    package var condition: Expression?

    package init(
        _ element: Expression, for variable: String, in collection: Expression, when: Expression? = nil,
        kind: Kind = .array
    ) {
        self.kind = kind
        self.element = element
        self.variable = variable
        self.collection = collection
        condition = when
    }
}
