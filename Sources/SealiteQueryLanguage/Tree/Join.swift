/// A source that a FROM clause joins to the preceding ones.
package enum Join: Sendable, Equatable {
    /// The kinds of joins that have a condition.
    package enum Kind: String, Sendable, CaseIterable {
        case inner = "INNER JOIN"
        case left = "LEFT JOIN"
        case right = "RIGHT JOIN"
    }

    /// A join with a condition.
    case join(Kind, Source, on: Expression)
    /// A join of all rows with all rows of a source: `CROSS JOIN`.
    case cross(Source)
    /// `UNNEST path AS alias`: one row for each element of the array at the path. With LEFT, `isLeft` is true: also one
    /// row, in which the alias is MISSING, if there are no elements.
    case unnest(Path, alias: String?, isLeft: Bool = false)
}
