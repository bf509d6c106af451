public import SealiteDatabase
public import SealiteValues

extension SchemaCatalogue {
    /// Stores the schema of a type, as App Services does, without changing documents. A missing collection is created.
    ///
    /// - Parameters:
    ///   - title: the name of the type.
    ///   - schema: the schema with the type and the types embedded in it.
    ///   - place: the collection's name and scope; nil for the type's current collection, or one with the type's name
    ///     in the default scope.
    ///   - version: the application's version, not less than the stored one; nil for the stored one, or 0 for a type
    ///     that isn't stored yet.
    ///   - change: changes the stored policy.
    /// - Returns: the differences from the previously stored schema.
    /// - Throws: `SchemaError.migrationRequired` for changes that affect documents, `SchemaError.invalidConfiguration`
    ///   for a collection that contains another type's documents, or if the type's documents are in another one,
    ///   `SchemaError.versionTooLow` for a version that is less than the stored one, `SchemaError.invalidSchema` for a
    ///   schema that isn't valid.
    @discardableResult
    public func apply(
        _ title: String, of schema: Schema, in place: (scope: String, name: String)? = nil, version: UInt64? = nil,
        policy change: (inout SchemaPolicy) -> Void = { _ in }
    ) throws -> [SchemaDifference] {
        let problems = schema.closure(of: title).problems()
        guard problems.isEmpty else { throw SchemaError.invalidSchema(problems) }
        return try database.write { transaction in
            let stored = try storedSchema(title)
            let type = schema.closure(of: title).keepingRenames(of: stored.map { [$0] } ?? [])
            if let last = stored?.version, let version, version < last {
                throw SchemaError.versionTooLow(stored: last, given: version)
            }
            let differences = Schema.compare(stored?.schema ?? Schema(), type)
            if let stored, differences.server == .breaking {
                let changes = stored.schema.changes(to: type).filter(\.needsMigration)
                throw changes.isEmpty
                    ? SchemaError.invalidSchema(differences.filter { $0.server == .breaking }.map(\.description))
                    : SchemaError.migrationRequired(changes)
            }
            let collection = try collection(of: title, stored, place)
            var policy = stored?.policy ?? SchemaPolicy()
            change(&policy)
            try store(
                title, of: type, collection: collection, version: version ?? stored?.version ?? 0, policy: policy)
            if let object = type[title] { try ModelIndexes(collection, object).make() }
            transaction.reloadGuards()
            return differences
        }
    }

    private func collection(
        of title: String, _ stored: StoredSchema?, _ place: (scope: String, name: String)?
    ) throws -> Collection {
        let known = stored?.collection
        guard let place = place ?? (known == nil ? (Database.defaultScopeName, Schema.collectionName(of: title)) : nil)
        else {
            guard let known else { throw SchemaError.unknownType(title) }
            return known
        }
        let collection = try database.createCollection(name: place.name, scope: place.scope)
        let others = try database.schemaRecords().filter { $0.collection == collection.number && $0.title != title }
        if let other = others.first {
            throw SchemaError.invalidConfiguration(
                "The collection '\(collection.fullName)' has the objects of type '\(other.title)', and can't have those of type '\(title)'."
            )
        }
        if let known, known != collection {
            throw SchemaError.invalidConfiguration(
                "The objects of type '\(title)' are in the collection '\(known.fullName)', not in '\(collection.fullName)'."
            )
        }
        return collection
    }
}

extension StoredSchema {
    /// Returns the JSON Schema as the database stores it.
    ///
    /// - Parameter isPlain: true to omit the members `sealite`, which contain the properties of a type that JSON Schema
    ///   can't express.
    /// - Returns: the schema.
    public func jsonSchema(isPlain: Bool = false) -> MongoDocument {
        let document = schema.jsonSchema(of: title, isPlain: isPlain)
        return isPlain ? document : document.adding(policy)
    }
}

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
