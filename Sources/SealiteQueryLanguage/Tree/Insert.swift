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
