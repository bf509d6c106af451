/// `ANY variable IN collection SATISFIES condition END`, also with EVERY or ANY AND EVERY.
package struct Quantified: Sendable, Equatable {
    /// The quantifier: how many elements must satisfy the condition.
    package enum Quantifier: String, Sendable, CaseIterable {
        /// At least one element; also written SOME.
        case any = "ANY"
        /// All elements; true if there are none.
        case every = "EVERY"
        /// All elements, of which there must be at least one.
        case anyAndEvery = "ANY AND EVERY"
    }

    package var quantifier: Quantifier
    package var variable: String
    package var collection: Expression
    package var condition: Expression

    package init(_ quantifier: Quantifier, _ variable: String, in collection: Expression, satisfies: Expression) {
        self.quantifier = quantifier
        self.variable = variable
        self.collection = collection
        condition = satisfies
    }
}
