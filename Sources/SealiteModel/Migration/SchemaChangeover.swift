internal import SealiteDatabase

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
