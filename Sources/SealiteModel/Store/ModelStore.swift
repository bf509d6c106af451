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
