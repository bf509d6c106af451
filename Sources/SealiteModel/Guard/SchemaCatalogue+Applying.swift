internal import SealiteDatabase
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
