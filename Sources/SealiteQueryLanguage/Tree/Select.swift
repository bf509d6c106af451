/// `SELECT … FROM … LET … WHERE … GROUP BY … HAVING …`
package struct Select: Sendable, Equatable {
    package var isDistinct: Bool
    package var projection: Projection
    /// The sources. Optional in the grammar; the planner decides whether they may be missing.
    package var from: From?
    package var bindings: [Binding]
    package var condition: Expression?
    package var groups: [Expression]
    /// The condition for groups; present only if there are groups.
    package var groupCondition: Expression?

    package init(
        _ projection: Projection, from: From? = nil, isDistinct: Bool = false, bindings: [Binding] = [],
        where condition: Expression? = nil, groupBy groups: [Expression] = [], having groupCondition: Expression? = nil
    ) {
        self.projection = projection
        self.from = from
        self.isDistinct = isDistinct
        self.bindings = bindings
        self.condition = condition
        self.groups = groups
        self.groupCondition = groupCondition
    }
}

/// The columns of a result, or of RETURNING.
package enum Projection: Sendable, Equatable {
    /// One column for each item.
    case columns([ResultColumn])
    /// `SELECT VALUE a`: each row is the value itself.
    case value(ResultColumn)
}

/// An expression of a result list, and its alias.
package struct ResultColumn: Sendable, Equatable {
    package var expression: Expression
    package var alias: String?
    /// The place of the expression in the text.
    package var position: SourcePosition

    package init(_ expression: Expression, as alias: String? = nil, at position: SourcePosition = .none) {
        self.expression = expression
        self.alias = alias
        self.position = position
    }
}

/// `name = value` of a LET clause.
package struct Binding: Sendable, Equatable {
    package var name: String
    package var value: Expression

    package init(_ name: String, _ value: Expression) {
        self.name = name
        self.value = value
    }
}
