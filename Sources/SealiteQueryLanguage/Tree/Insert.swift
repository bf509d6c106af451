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
