public import SealiteDatabase
internal import SealiteFile
internal import Synchronization

extension ModelStore {
    /// Opens a database as a store of objects: compares the declared types with the stored schemas, migrates documents,
    /// creates collections and indexes.
    ///
    /// - Throws: `SchemaError` if the types can't be derived, or if they don't fit the stored schemas and the
    ///   configuration has no migration for that; the errors of the migration function, and errors of the storage. Then
    ///   nothing is changed.
    public static func open(_ database: Database, _ configuration: ModelConfiguration) throws -> ModelStore {
        try open(database, configuration) { false }
    }

    /// The asynchronous form of ``open(_:_:)``, which doesn't block the calling task's thread. Cancelling the task
    /// cancels a migration.
    public static func open(_ database: Database, _ configuration: ModelConfiguration) async throws -> ModelStore {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await Offload.run { try open(database, configuration) { cancellation.isDemanded } }
        } onCancel: {
            cancellation.demand()
        }
    }

    private static func open(
        _ database: Database, _ configuration: ModelConfiguration, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> ModelStore {
        let schema = try Schema(of: configuration.types)
        let places = Dictionary(
            configuration.types.map { ($0.schemaName, QualifiedName(of: $0, configuration)) }
        ) { first, _ in first }
        let collections = try SchemaOpening(database, schema, places: places, configuration).run(
            isCancelled: isCancelled)
        SchemaGuard.install(in: database, declared: schema, onWarning: configuration.onUnfitDocument)
        return ModelStore(database, configuration, schema, collections)
    }

    /// Returns the collection for a type that the configuration doesn't name.
    ///
    /// - Throws: `SchemaError.unknownType` without development mode.
    func adopt(_ type: any Model.Type) throws -> Collection {
        guard let scope = configuration.developmentScope else { throw SchemaError.unknownType(type.schemaName) }
        return try DevelopmentMode(database: database, scope: scope).collection(of: type)
    }
}

/// A flag by which the cancelled task stops the migration that another thread runs for it.
private final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    var isDemanded: Bool { flag.load(ordering: .relaxed) }

    func demand() { flag.store(true, ordering: .relaxed) }
}
