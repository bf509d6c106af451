public import SealiteDatabase

/// The configuration of a ``ModelStore``: its types, and the migration of a database with an older schema.
public struct ModelConfiguration: Sendable {
    /// The treatment of stored schemas and documents when a store is opened.
    public enum Mode: Sendable, Hashable {
        /// The database is migrated; a collection that a replicator has touched is treated as in the mode `synced`.
        case local
        /// Nothing is written when the store is opened. The types that are stored must have everything that the
        /// declared types have, and their version must be the configuration's.
        case readOnly
        /// The version is ignored, and types and properties can only be added.
        case synced
    }

    /// A migration function. It is called once, if the stored version is less than the version of the configuration.
    public typealias MigrationFunction = @Sendable (inout Migration) throws -> Void

    /// The version of the types, which must be increased with every change that affects documents.
    public var version: UInt64
    /// The types whose objects the store stores; embedded types needn't be listed.
    public var types: [any Model.Type]
    /// The treatment of stored schemas and documents when a store is opened.
    public var mode: Mode
    /// The name of the scope that contains the types' collections.
    public var scope: String
    /// The scope in which development mode creates collections for types without a schema; nil to refuse such objects.
    public var developmentScope: String?
    /// A Boolean value that says whether the documents of the types are deleted instead of migrated, if the stored
    /// version differs from the configuration's or the types have changes that need a migration.
    public var resetIfMigrationNeeded: Bool
    /// The migration function; nil if there is none.
    public var migration: MigrationFunction?
    /// A function that is called while documents are migrated; returning false cancels the migration.
    public var progress: (@Sendable (MigrationProgress) -> Bool)?
    /// A function that is called for a document that is saved although it doesn't conform to its schema, because of the
    /// policy or because a conflict resolver made it. It is called on the thread that saves the document, before the
    /// transaction is committed.
    public var onUnfitDocument: (@Sendable (SchemaWarning) -> Void)?
    /// The context that types can access while they encode and decode themselves.
    public var userInfo: [CodingUserInfoKey: any Sendable]

    /// Creates a configuration.
    public init(
        version: UInt64 = 0, types: [any Model.Type], mode: Mode = .local,
        scope: String = Database.defaultScopeName, developmentScope: String? = nil,
        resetIfMigrationNeeded: Bool = false, migration: MigrationFunction? = nil
    ) {
        (self.version, self.types, self.mode) = (version, types, mode)
        (self.scope, self.developmentScope) = (scope, developmentScope)
        (self.resetIfMigrationNeeded, self.migration) = (resetIfMigrationNeeded, migration)
        (progress, onUnfitDocument, userInfo) = (nil, nil, [:])
    }
}

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
