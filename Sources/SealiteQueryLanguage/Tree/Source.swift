/// The FROM clause: the first source and the joins, in order.
package struct From: Sendable, Equatable {
    package var source: Source
    package var joins: [Join]

    package init(_ source: Source, _ joins: [Join] = []) {
        self.source = source
        self.joins = joins
    }
}

/// A source of rows.
package indirect enum Source: Sendable, Equatable {
    /// A collection or a common table, and its alias.
    case collection(CollectionName, alias: String?)
    /// A subquery and its alias.
    case subquery(Query, alias: String)
}

/// The name of a collection as written: `coll`, `scope.coll`, or one quoted name with a dot inside.
package struct CollectionName: Sendable, Equatable {
    package var scope: String?
    package var name: String
    /// The place of the first name in the text.
    package var position: SourcePosition

    package init(scope: String? = nil, _ name: String, at position: SourcePosition = .none) {
        self.scope = scope
        self.name = name
        self.position = position
    }
}

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
    /// `UNNEST path AS alias`: one row for each element.
    case unnest(Path, alias: String?)
}
