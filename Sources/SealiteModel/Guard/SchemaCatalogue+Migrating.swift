public import SealiteDatabase

extension SchemaCatalogue {
    /// Migrates stored schemas and their documents to new ones, as far as no migration function is needed: for
    /// properties that were added, renamed (`renamedFrom`), or made optional or required. The migration is one
    /// transaction.
    ///
    /// - Parameters:
    ///   - schema: the new types, which keep their collections; types that aren't stored yet get a collection with
    ///     their name in the default scope.
    ///   - version: the new version; nil for one more than the greatest stored one, or 0 if no type is stored.
    ///   - progress: called while documents are changed; returning false cancels the migration.
    /// - Returns: the new version of the types; the version of synced collections doesn't change.
    /// - Throws: `SchemaError.migrationRequired` for changes that need a function, the errors of opening a
    ///   `ModelStore`, and errors of the storage; then nothing is changed.
    @discardableResult
    public func migrate(
        _ schema: Schema, version: UInt64? = nil, progress: (@Sendable (MigrationProgress) -> Bool)? = nil
    ) throws -> UInt64 {
        try database.write { transaction in
            let stored = try storedSchemas()
            let schema = schema.keepingRenames(of: stored)
            let roots = schema.objects.filter { !$0.isEmbedded }
            var refused: [SchemaChange] = []
            var places: [String: QualifiedName] = [:]
            for root in roots {
                let old = stored.first { $0.title == root.name }
                places[root.name] =
                    old?.collection.map { QualifiedName(scope: $0.scopeName, name: $0.name) }
                    ?? QualifiedName(scope: Database.defaultScopeName, name: Schema.collectionName(of: root.name))
                guard let old else { continue }
                let new = schema.closure(of: root.name)
                let changes = old.schema.changes(to: new)
                refused += try changes.filter { change in
                    try !change.needsNoFunction(from: old.schema, to: new) && !refused.contains(change)
                }
            }
            guard refused.isEmpty else { throw SchemaError.migrationRequired(refused) }
            let last = stored.map(\.version).max()
            let next = version ?? last.map { $0 &+ 1 } ?? 0
            var configuration = ModelConfiguration(version: next, types: [])
            configuration.progress = progress
            _ = try SchemaOpening(database, schema, places: places, configuration).run()
            var versions: [UInt64] = []
            // The new constraints are stored, whereas an application's declaration keeps the stored ones.
            for root in roots {
                guard let now = try storedSchema(root.name) else { continue }
                versions.append(now.version)
                try store(
                    root.name, of: schema.keepingRemoved(of: now), collection: now.collection, version: now.version,
                    policy: now.policy)
            }
            transaction.reloadGuards()
            return versions.max() ?? next
        }
    }
}

extension SchemaChange {
    /// Returns whether a change is possible without a migration function and without a loss of data.
    fileprivate func needsNoFunction(from old: Schema, to new: Schema) throws(SchemaError) -> Bool {
        switch self {
        case .addType, .removeType, .addProperty, .addIndex, .removeIndex, .makeOptional, .makeRequired: return true
        case .removeProperty(let type, let property):
            // If documents may have values under the new name, or if the property's type has changed, values under the
            // old name would be lost.
            guard let before = old[type], let after = new[type],
                let name = try PropertyRenames(before, after).names()[property.name], let renamed = after[name]
            else { return false }
            return property.type.isStoredAs(renamed.type)
        case .changeType, .changePrimaryKey, .changeEmbedding: return false
        }
    }
}

extension Schema {
    /// Returns the schema with the earlier names of properties that the stored types record; documents of synced
    /// collections may have values under these names.
    func keepingRenames(of stored: [StoredSchema]) -> Schema {
        Schema(
            objects.map { object in
                guard let old = stored.lazy.compactMap({ $0.schema[object.name] }).first else { return object }
                var object = object
                var taken = Set(object.properties.flatMap { [$0.name] + $0.renamedFrom })
                for index in object.properties.indices {
                    let names = old[object.properties[index].name]?.renamedFrom ?? []
                    object.properties[index].renamedFrom += names.filter { taken.insert($0).inserted }
                }
                return object
            })
    }

    /// Returns the schema in which each type has its stored list of removed properties (``ObjectSchema/removed``), with
    /// the stored types that this schema lacks; unchanged if it doesn't have the stored schema's type.
    fileprivate func keepingRemoved(of stored: StoredSchema) -> Schema {
        var schema = self
        guard schema[stored.title] != nil else { return schema }
        for index in schema.objects.indices {
            guard let before = stored.schema[schema.objects[index].name] else { continue }
            schema.objects[index].removed = before.removed
        }
        schema.add(stored.schema)
        return schema
    }
}
