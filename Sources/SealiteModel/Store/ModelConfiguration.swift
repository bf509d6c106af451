public import SealiteDatabase

/// The types of a ``ModelStore``, and how a database of an older schema comes to them.
public struct ModelConfiguration: Sendable {
    /// The ways to treat what is stored.
    public enum Mode: Sendable, Hashable {
        /// The database is migrated; a collection that a replicator has touched is treated as in the mode `synced`.
        case local
        /// Nothing is written when the store is opened: the stored schema has to be enough.
        case readOnly
        /// The version is ignored, and types and properties may only be added.
        case synced
    }

    /// A migration's function, which is called once where the stored version is lower than the configuration's.
    public typealias MigrationFunction = @Sendable (inout Migration) throws -> Void

    /// The version of the types, which grows with every change that documents have to follow.
    public var version: UInt64
    /// The types whose objects the store keeps; embedded ones needn't be named.
    public var types: [any Model.Type]
    /// The way to treat what is stored.
    public var mode: Mode
    /// The scope of the types' collections.
    public var scope: String
    /// The scope in which development mode makes collections for types that have no schema; nil where such objects are refused.
    public var developmentScope: String?
    /// A Boolean value that says whether the documents of the types are deleted where they would have to be migrated.
    public var resetIfMigrationNeeded: Bool
    /// The migration's function.
    public var migration: MigrationFunction?
    /// Called while documents are migrated; returning false gives the migration up.
    public var progress: (@Sendable (MigrationProgress) -> Bool)?
    /// Called for a document that is saved although it doesn't fit its schema, because the policy says so or because a conflict resolver made it: on the thread that saves it, before its
    /// transaction is committed.
    public var onUnfitDocument: (@Sendable (SchemaWarning) -> Void)?
    /// The context that types may look up while they encode and decode themselves.
    public var userInfo: [CodingUserInfoKey: any Sendable]

    /// A configuration.
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
