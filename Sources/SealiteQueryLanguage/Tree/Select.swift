/// One SELECT of a query: `SELECT … FROM … LET … WHERE … GROUP BY … HAVING …`.
package struct Select: Sendable, Equatable {
    package var isDistinct: Bool
    package var projection: Projection
    /// The FROM clause; nil if there is none, and the SELECT has one row.
    package var from: From?
    package var bindings: [Binding]
    package var condition: Expression?
    package var groups: [Expression]
    /// The position in the query's text of the first expression of GROUP BY.
    package var groupPosition = SourcePosition.none
    /// The condition for groups (HAVING); nil if there is none, and always without groups.
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
