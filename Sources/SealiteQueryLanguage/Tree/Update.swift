/// A statement that changes documents: `UPDATE … SET … UNSET … WHERE … LIMIT … RETURNING …`.
package struct Update: Sendable, Equatable {
    /// An assignment `path = value` of SET.
    package struct Assignment: Sendable, Equatable {
        package var path: Path
        package var value: Expression

        package init(_ path: Path, _ value: Expression) {
            self.path = path
            self.value = value
        }
    }

    package var target: ChangeTarget
    /// The properties to set, with their values. At least one of `assignments` and `removals` isn't empty.
    package var assignments: [Assignment]
    /// The properties that UNSET removes.
    package var removals: [Path]
    package var condition: Expression?
    package var limit: Expression?
    package var returning: Projection?

    package init(
        _ target: ChangeTarget, set assignments: [Assignment] = [], unset removals: [Path] = [],
        where condition: Expression? = nil, limit: Expression? = nil, returning: Projection? = nil
    ) {
        self.target = target
        self.assignments = assignments
        self.removals = removals
        self.condition = condition
        self.limit = limit
        self.returning = returning
    }
}
