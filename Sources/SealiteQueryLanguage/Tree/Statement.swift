/// A statement of SQL++, as a syntax tree.
package enum Statement: Sendable, Equatable {
    case query(Query)
    case update(Update)
    case delete(Delete)
    case insert(Insert)
}

/// The collection whose documents an UPDATE, DELETE or INSERT changes, and its alias.
package struct ChangeTarget: Sendable, Equatable {
    package var collection: CollectionName
    package var alias: String?

    package init(_ collection: CollectionName, alias: String? = nil) {
        self.collection = collection
        self.alias = alias
    }
}

/// A statement that inserts documents: `INSERT INTO … (KEY, VALUE) VALUES … RETURNING …`.
package struct Insert: Sendable, Equatable {
    /// The expressions of a document: its ID, or nil if an ID is generated; and its body.
    package struct Document: Sendable, Equatable {
        package var key: Expression?
        package var value: Expression

        package init(key: Expression? = nil, _ value: Expression) {
            self.key = key
            self.value = value
        }
    }

    /// The documents that the statement inserts.
    package enum Content: Sendable, Equatable {
        /// Literal documents, at least one: either all have a key, or none has.
        case documents([Document])
        /// One document for each row of a query. The expressions of the document refer to the query's columns.
        case rows(Document, Query)
    }

    package var target: ChangeTarget
    package var content: Content
    package var returning: Projection?

    package init(_ target: ChangeTarget, _ content: Content, returning: Projection? = nil) {
        self.target = target
        self.content = content
        self.returning = returning
    }
}

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
