/// `ANY variable IN collection SATISFIES condition END`
package struct Quantified: Sendable, Equatable {
    /// The number of elements that must satisfy the condition.
    package enum Quantifier: String, Sendable, CaseIterable {
        /// At least one; also written SOME.
        case any = "ANY"
        /// All of them, or there are none.
        case every = "EVERY"
        /// All of them, and there is at least one.
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
