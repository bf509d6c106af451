/// A statement that deletes documents: `DELETE FROM … WHERE … LIMIT … RETURNING …`.
package struct Delete: Sendable, Equatable {
    package var target: ChangeTarget
    package var condition: Expression?
    package var limit: Expression?
    package var returning: Projection?

    package init(
        _ target: ChangeTarget, where condition: Expression? = nil, limit: Expression? = nil,
        returning: Projection? = nil
    ) {
        self.target = target
        self.condition = condition
        self.limit = limit
        self.returning = returning
    }
}
