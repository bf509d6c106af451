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

/// `ARRAY element FOR variable IN collection WHEN condition END`
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

/// `CASE operand WHEN … THEN … ELSE … END`; without an operand, the first true condition determines the result.
package struct Conditional: Sendable, Equatable {
    /// A condition, or a value to compare with the operand, and the result.
    package struct Branch: Sendable, Equatable {
        package var condition: Expression
        package var result: Expression

        package init(when condition: Expression, then result: Expression) {
            self.condition = condition
            self.result = result
        }
    }

    package var operand: Expression?
    /// The branches in the order in which they are tried, at least one.
    package var branches: [Branch]
    package var otherwise: Expression?

    package init(_ operand: Expression? = nil, _ branches: [Branch], otherwise: Expression? = nil) {
        self.operand = operand
        self.branches = branches
        self.otherwise = otherwise
    }
}
