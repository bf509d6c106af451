/// The name of a collection as it is written in a query: `coll`, `scope.coll`, or one quoted name with a dot inside.
package struct CollectionName: Sendable, Equatable {
    package var scope: String?
    package var name: String
    /// The position of the first name in the query's text.
    package var position: SourcePosition

    package init(scope: String? = nil, _ name: String, at position: SourcePosition = .none) {
        self.scope = scope
        self.name = name
        self.position = position
    }
}
