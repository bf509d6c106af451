internal import SealiteDatabase
internal import SealiteQuery

/// Prepares a database for the declared types when it is opened (Documentation/Models.md §4, §5): compares them with
/// the stored schemas, migrates documents, creates collections and indexes, and stores the schemas. This is one
/// transaction, or none if the database already is in that state.
struct SchemaOpening {
    let database: Database
    /// The declared types and those embedded in them.
    let schema: Schema
    /// The names and scopes of the collections, by the names of the types that have documents.
    let places: [String: QualifiedName]
    let configuration: ModelConfiguration

    /// Creates the preparation of a database.
    init(
        _ database: Database, _ schema: Schema, places: [String: QualifiedName], _ configuration: ModelConfiguration
    ) {
        (self.database, self.schema) = (database, schema)
        (self.places, self.configuration) = (places, configuration)
    }

    /// The declared types that have documents of their own.
    var roots: [ObjectSchema] { schema.objects.filter { !$0.isEmbedded } }

    /// Prepares the database.
    ///
    /// - Parameter isCancelled: called while documents are migrated; returning true cancels the migration.
    /// - Returns: the collections by the names of the types; in the mode `readOnly` only existing ones.
    /// - Throws: `SchemaError`, the errors of the migration's function, and errors of the storage; then nothing is
    ///   changed.
    func run(isCancelled: @escaping @Sendable () -> Bool = { false }) throws -> [String: Collection] {
        try check()
        let found = try database.read { try DatabaseSchema(self) }
        if configuration.mode == .readOnly {
            try found.requireReadable()
            return found.collections
        }
        try found.requirePermitted()
        if try database.read({ try found.isAsDeclared() }) { return found.collections }
        return try database.write { transaction in
            try transaction.withoutGuards {
                for root in roots { try makeCollection(of: root.name) }
                let found = try DatabaseSchema(self)
                try found.requirePermitted()
                try found.requireCollections()
                try SchemaChangeover(found, self).run(isCancelled)
                return found.collections
            }
        }
    }

    private func makeCollection(of type: String) throws {
        guard let place = places[type] else { throw SchemaError.unknownType(type) }
        try database.createCollection(name: place.name, scope: place.scope)
    }

    private func check() throws(SchemaError) {
        var problems = schema.problems()
        var types: [QualifiedName: String] = [:]
        for root in roots {
            guard let place = places[root.name] else { continue }
            if let other = types.updateValue(root.name, forKey: place) {
                problems.append("Types '\(other)' and '\(root.name)' have the same collection.")
            }
        }
        guard problems.isEmpty else { throw .invalidSchema(problems) }
        guard configuration.version <= UInt64(Int64.max) else {
            throw .invalidConfiguration(
                "The schema version \(configuration.version) is greater than the maximum, \(Int64.max).")
        }
    }
}

/// The part of opening a database that writes, in the transaction of the calling thread.
struct SchemaChangeover {
    private let found: DatabaseSchema
    private let opening: SchemaOpening
    private var configuration: ModelConfiguration { opening.configuration }
    private var database: Database { opening.database }

    init(_ found: DatabaseSchema, _ opening: SchemaOpening) { (self.found, self.opening) = (found, opening) }

    /// Migrates or deletes the documents of local collections if the configuration requires it, stores the schemas of
    /// the declared types, and creates their indexes. A migration is cancelled when `isCancelled` returns true.
    ///
    /// - Throws: `SchemaError.versionTooLow` for a version that is lower than the stored one,
    ///   `SchemaError.migrationRequired` for changes without a higher version, the errors of a migration, and errors of
    ///   the storage.
    func run(_ isCancelled: @escaping @Sendable () -> Bool) throws {
        if !found.newLocal.objects.isEmpty, let stored = found.localVersion {
            let changes = found.localChanges.filter(\.needsMigration)
            if configuration.resetIfMigrationNeeded, stored != configuration.version || !changes.isEmpty {
                try reset(isCancelled)
            } else if configuration.version < stored {
                throw SchemaError.versionTooLow(stored: stored, given: configuration.version)
            } else if configuration.version > stored {
                try migrate(from: stored, isCancelled)
            } else if !changes.isEmpty {
                throw SchemaError.migrationRequired(changes)
            }
        }
        let records = try database.schemaRecords()
        for root in opening.roots {
            if let due = found.record(of: root.name), !records.contains(due) { try database.setSchemaRecord(due) }
            if let collection = found.collections[root.name] { try ModelIndexes(collection, root).make() }
        }
    }

    // MARK: - Migrating

    private func migrate(from version: UInt64, _ isCancelled: @escaping @Sendable () -> Bool) throws {
        let (old, new) = (found.oldLocal, found.newLocal)
        try requireStorableKeys(old, new)
        let types = try types(old, new)
        let report = try report(types, isCancelled)
        try report.begin()
        let work = MigrationWork(
            database, versions: (version, configuration.version), schemas: (old, new), types: types, progress: report)
        if let function = configuration.migration {
            var migration = Migration(work)
            try function(&migration)
        }
        try work.finish()
    }

    /// Returns the types that have documents of their own: the types of local collections in both schemas, and the
    /// stored types of synced collections, which a migration can't change.
    private func types(_ old: Schema, _ new: Schema) throws -> [TypeMigration] {
        let names = (new.objects + old.objects).filter { !$0.isEmbedded }.map(\.name)
        var types: [TypeMigration] = []
        for name in names where !types.contains(where: { $0.name == name }) {
            types.append(try type(name, old[name].local, new[name].local, isReplicated: false))
        }
        for stored in found.stored where found.synced.contains(stored.title) {
            types.append(try type(stored.title, stored.object, nil, isReplicated: true))
        }
        return types
    }

    private func type(
        _ name: String, _ old: ObjectSchema?, _ new: ObjectSchema?, isReplicated: Bool
    ) throws -> TypeMigration {
        let collection = found.collections[name] ?? found.stored(name)?.collection
        return try TypeMigration(name, old: old, new: new, collection: collection, isReplicated: isReplicated)
    }

    /// Checks that no type has a member `_id` in its documents' bodies, where this name is reserved.
    ///
    /// - Throws: `SchemaError.invalidSchema`.
    private func requireStorableKeys(_ old: Schema, _ new: Schema) throws(SchemaError) {
        let types = new.objects.filter { !$0.isEmbedded && $0.isMember("_id") }
        guard !types.isEmpty else { return }
        throw .invalidSchema(types.map { "Property '\($0.name)._id' has a name that is reserved in documents." })
    }

    private func report(
        _ types: [TypeMigration], _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> MigrationReport {
        let progress = configuration.progress
        var total: UInt64 = 0
        if progress != nil { for type in types where type.new != nil { total += try type.collection?.count ?? 0 } }
        return MigrationReport(total: total) { !isCancelled() && progress?($0) ?? true }
    }

    // MARK: - Resetting

    private func reset(_ isCancelled: @escaping @Sendable () -> Bool) throws {
        let types = try types(found.oldLocal, found.newLocal).filter { $0.new != nil }
        var report = try report(types, isCancelled)
        for type in types { try type.removeDocuments { try report.count() } }
    }
}

extension ObjectSchema? {
    /// The type, if it exists and has documents of its own; otherwise nil.
    fileprivate var local: ObjectSchema? { self?.isEmbedded ?? true ? nil : self }
}

/// The indexes of a type's declaration: one for each property with a value index or a vector index, named after the
/// property.
struct ModelIndexes {
    private let collection: Collection
    private let properties: [Property]

    /// The prefix of the names of indexes that are created for models.
    private static let prefix = "model_"

    init(_ collection: Collection, _ object: ObjectSchema) {
        self.collection = collection
        properties = object.properties.filter { ($0.isIndexed || $0.vectorIndex != nil) && !object.isKey($0.name) }
    }

    /// Returns whether the collection has exactly the indexes of the declaration. Indexes that weren't created for
    /// models aren't considered.
    func areMade() throws -> Bool {
        guard try found() == Set(properties.map { Self.name(of: $0) }) else { return false }
        return try properties.allSatisfy { property in
            switch (try collection.index(withName: Self.name(of: property))?.vectors, property.vectorIndex) {
            case (nil, nil): true
            case (let found?, let due?): due.isMade(found)
            default: false
            }
        }
    }

    /// Creates the missing indexes, and deletes those that are no longer declared. Indexes that weren't created for
    /// models are kept.
    func make() throws {
        let due = Set(properties.map { Self.name(of: $0) })
        for name in try found().subtracting(due) { try collection.deleteIndex(forName: name) }
        for property in properties {
            let expression = Self.quoted(property.name)
            let config: any IndexConfiguration =
                property.vectorIndex?.configuration(expression) ?? ValueIndexConfiguration([expression])
            try collection.createIndex(withName: Self.name(of: property), config: config)
        }
    }

    private func found() throws -> Set<String> {
        Set(try collection.indexes().filter { $0.hasPrefix(Self.prefix) })
    }

    /// Returns the name of a property's index: the prefix and the property's name, in which quotation marks are
    /// replaced.
    private static func name(of property: Property) -> String {
        prefix + property.name.replacing("%", with: "%25").replacing("\"", with: "%22")
    }

    /// Returns a name as an SQL++ expression.
    private static func quoted(_ name: String) -> String { "`\(name.replacing("`", with: "``"))`" }
}
