public import SealiteDatabase
internal import SealiteFile
internal import Synchronization

/// A database that stores objects of Swift types (Documentation/Models.md).
///
/// ```swift
/// let store = try await ModelStore.open(database, ModelConfiguration(types: [Dog.self]))
/// try await store.save(Dog(name: "Jasper", age: 8))
/// let old = try await store.objects(Dog.self).where("age >= $age", ["age": 5]).sorted("name").all()
/// ```
/// A store may be used from any thread. Methods that block the thread have an `async` form. Inside a transaction or a
/// snapshot of the database, methods take part in it.
public final class ModelStore: Sendable {
    /// The database that stores the objects.
    public let database: Database
    /// The configuration with which the store was opened.
    public let configuration: ModelConfiguration
    /// The schema of the configuration's types.
    public let schema: Schema
    /// The collections that existed after the store was opened, by the names of the declared types. Opening has created
    /// all of them, unless the store is read-only.
    private let collections: [String: Collection]
    /// The plans and collections of the types that have been used.
    private let bindings = Mutex<[ObjectIdentifier: Binding]>([:])

    /// A type's plan, with the collection of its objects.
    private struct Binding {
        let plan: ModelPlan
        let collection: Collection
    }

    init(
        _ database: Database, _ configuration: ModelConfiguration, _ schema: Schema,
        _ collections: [String: Collection]
    ) {
        (self.database, self.configuration, self.schema) = (database, configuration, schema)
        self.collections = collections
    }

    // MARK: - Types

    /// Returns the collection of a type's objects, which is created if it doesn't exist.
    ///
    /// - Throws: `SchemaError.unknownType` for a type that neither the configuration nor development mode accepts;
    ///   `DatabaseError.notFound` if a read-only store would have to create the collection.
    public func collection<M: Model>(of type: M.Type) throws -> Collection { try knownBinding(type).collection }

    /// Returns the coder of a type's objects, and their collection, which is created if it doesn't exist.
    ///
    /// - Throws: `SchemaError`; `DatabaseError.notFound` if a read-only store would have to create the collection.
    func binding<M: Model>(_ type: M.Type) throws -> (coder: ModelCoder<M>, collection: Collection) {
        let known = try knownBinding(type)
        return (ModelCoder(known.plan, userInfo: configuration.userInfo), known.collection)
    }

    /// Returns the coder and the collection of a type for reading; nil if the type has no collection, and the store is
    /// read-only.
    func existingBinding<M: Model>(_ type: M.Type) throws -> (coder: ModelCoder<M>, collection: Collection)? {
        do {
            return try binding(type)
        } catch let error as DatabaseError where error.code == .notFound && configuration.mode == .readOnly {
            return nil
        }
    }

    private func knownBinding<M: Model>(_ type: M.Type) throws -> Binding {
        if let known = bindings.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let opened = configuration.types.contains { $0 == type } ? collections[type.schemaName] : nil
        let made = Binding(plan: try ModelPlan.of(type), collection: try opened ?? findCollection(of: type))
        // A binding that is made inside a transaction isn't cached: a rollback would also undo the creation of the
        // collection.
        guard opened != nil || !database.isInTransactionOrSnapshot else { return made }
        return bindings.withLock { bindings in
            if let first = bindings[ObjectIdentifier(type)] { return first }
            bindings[ObjectIdentifier(type)] = made
            return made
        }
    }

    private func findCollection(of type: any Model.Type) throws -> Collection {
        guard configuration.types.contains(where: { $0 == type }) else { return try adopt(type) }
        let place = QualifiedName(of: type, configuration)
        if let found = try database.collection(name: place.name, scope: place.scope) { return found }
        guard configuration.mode != .readOnly else {
            throw DatabaseError(
                .notFound,
                "there is no collection \"\(place.scope).\(place.name)\", and a read-only store doesn't create it")
        }
        return try database.createCollection(name: place.name, scope: place.scope)
    }
}

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

extension ModelStore {
    /// Returns the documents that don't conform to the stored schema of their type, such as documents that sync
    /// received, or that are older than the schema.
    ///
    /// - Throws: `SchemaError.damagedSchema`, and errors from reading.
    public func unfitDocuments() throws -> UnfitDocuments {
        try UnfitDocuments(of: try SchemaCatalogue(database).storedSchemas())
    }

    /// Returns the rules by which a type's documents are validated.
    ///
    /// - Throws: `SchemaError.unknownType` if the catalogue has no schema of the type.
    public func policy(of type: any Model.Type) throws -> SchemaPolicy { try storedSchema(of: type).policy }

    /// Sets the rules by which a type's documents are validated. They are stored in the database, and apply to every
    /// process that validates.
    ///
    /// - Throws: `SchemaError.unknownType` if the catalogue has no schema of the type.
    public func setPolicy(_ policy: SchemaPolicy, of type: any Model.Type) throws {
        try database.write { transaction in
            let stored = try storedSchema(of: type)
            try SchemaCatalogue(database).store(
                stored.title, of: stored.schema, collection: stored.collection, version: stored.version, policy: policy)
            transaction.reloadGuards()
        }
    }

    private func storedSchema(of type: any Model.Type) throws -> StoredSchema {
        guard let stored = try SchemaCatalogue(database).storedSchema(type.schemaName) else {
            throw SchemaError.unknownType(type.schemaName)
        }
        return stored
    }
}

/// A flag by which the cancelled task stops the migration that another thread runs for it.
private final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    var isDemanded: Bool { flag.load(ordering: .relaxed) }

    func demand() { flag.store(true, ordering: .relaxed) }
}
