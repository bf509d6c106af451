/// A source joined to the preceding ones.
package enum Join: Sendable, Equatable {
    /// The kinds of join.
    package enum Kind: String, Sendable, CaseIterable {
        case inner = "INNER JOIN"
        case left = "LEFT JOIN"
    }

    /// A join with a condition.
    case join(Kind, Source, on: Expression)
    /// `CROSS JOIN`
    case cross(Source)
    /// `UNNEST path AS alias`: one row for each element of the array at the path.
    case unnest(Path, alias: String?)
}
