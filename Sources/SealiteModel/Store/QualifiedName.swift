internal import SealiteDatabase
internal import SealiteFile

/// The name of a collection together with the name of its scope.
struct QualifiedName: Sendable, Hashable {
    let scope: String
    let name: String

    init(scope: String, name: String) { (self.scope, self.name) = (scope, name) }

    /// Creates the name of the collection for a type's objects.
    init(of type: any Model.Type, _ configuration: ModelConfiguration) {
        self.init(
            scope: configuration.scope, name: type.declaration.collection ?? Schema.collectionName(of: type.schemaName))
    }
}
