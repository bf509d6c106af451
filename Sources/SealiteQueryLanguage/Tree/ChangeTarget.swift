/// The collection whose documents an UPDATE, DELETE or INSERT changes, and its alias.
package struct ChangeTarget: Sendable, Equatable {
    package var collection: CollectionName
    package var alias: String?

    package init(_ collection: CollectionName, alias: String? = nil) {
        self.collection = collection
        self.alias = alias
    }
}
