/// A statement of SQL++.
package enum Statement: Sendable, Equatable {
    case query(Query)
    case update(Update)
    case delete(Delete)
    case insert(Insert)
}

/// `UPDATE … SET … UNSET … WHERE … LIMIT … RETURNING …`
package struct Update: Sendable, Equatable {
    /// `path = value`
    package struct Assignment: Sendable, Equatable {
        package var path: Path
        package var value: Expression

        package init(_ path: Path, _ value: Expression) {
            self.path = path
            self.value = value
        }
    }

    package var target: ChangeTarget
    /// The properties to set. They or the removals aren't empty.
    package var assignments: [Assignment]
    /// The properties to remove.
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

/// `DELETE FROM … WHERE … LIMIT … RETURNING …`
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

/// `INSERT INTO … (KEY, VALUE) VALUES … RETURNING …`
package struct Insert: Sendable, Equatable {
    /// A document: its id, or nil for a generated one, and its body.
    package struct Document: Sendable, Equatable {
        package var key: Expression?
        package var value: Expression

        package init(key: Expression? = nil, _ value: Expression) {
            self.key = key
            self.value = value
        }
    }

    /// The documents to insert.
    package enum Content: Sendable, Equatable {
        /// Literal documents, at least one: either all have a key, or none has.
        case documents([Document])
        /// One document for each row of a query, whose columns its expressions refer to.
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

/// The collection whose documents are changed, and its alias.
package struct ChangeTarget: Sendable, Equatable {
    package var collection: CollectionName
    package var alias: String?

    package init(_ collection: CollectionName, alias: String? = nil) {
        self.collection = collection
        self.alias = alias
    }
}
