/// A statement of SQL++, as a syntax tree.
package enum Statement: Sendable, Equatable {
    case query(QueryTree)
    case update(UpdateTree)
    case delete(Delete)
    case insert(Insert)
}

/// The collection whose documents an UPDATE, DELETE or INSERT changes, and its alias.
package struct ChangeTarget: Sendable, Equatable {
    package var collection: CollectionName
    package var alias: String?
}

/// A statement that inserts documents: `INSERT INTO … (KEY, VALUE) VALUES … RETURNING …`.
package struct Insert: Sendable, Equatable {
    /// The expressions of a document: its ID, or nil if an ID is generated; and its body.
    package struct Document: Sendable, Equatable {
        package var key: ExpressionTree?
        package var value: ExpressionTree
    }

    /// The documents that the statement inserts.
    package enum Content: Sendable, Equatable {
        /// Literal documents, at least one: either all have a key, or none has.
        case documents([Document])
        /// One document for each row of a query. The expressions of the document refer to the query's columns.
        case rows(Document, QueryTree)
    }

    package var target: ChangeTarget
    package var content: Content
    package var returning: Projection?
}

/// A statement that changes documents: `UPDATE … SET … UNSET … WHERE … LIMIT … RETURNING …`.
package struct UpdateTree: Sendable, Equatable {
    /// An assignment `path = value` of SET.
    package struct Assignment: Sendable, Equatable {
        package var path: Path
        package var value: ExpressionTree
    }

    package var target: ChangeTarget
    /// The properties to set, with their values. At least one of `assignments` and `removals` isn't empty.
    package var assignments: [Assignment] = []
    /// The properties that UNSET removes.
    package var removals: [Path] = []
    package var condition: ExpressionTree?
    package var limit: ExpressionTree?
    package var returning: Projection?
}

/// A statement that deletes documents: `DELETE FROM … WHERE … LIMIT … RETURNING …`.
package struct Delete: Sendable, Equatable {
    package var target: ChangeTarget
    package var condition: ExpressionTree?
    package var limit: ExpressionTree?
    package var returning: Projection?
}
