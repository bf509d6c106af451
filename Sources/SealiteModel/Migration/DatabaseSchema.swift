internal import SealiteDatabase
internal import SealiteValues

/// The stored schemas of a database compared with the declared types: their differences, and the types whose documents
/// peers have.
struct DatabaseSchema {
    private let opening: SchemaOpening
    /// The schemas that the database stores, without those of undeclared types that can't be read.
    let stored: [StoredSchema]
    /// The existing collections of the declared types, by the types' names.
    let collections: [String: Collection]
    /// The types, declared or only stored, whose collections are synced.
    let synced: Set<String>

    /// Reads the stored schemas, in the transaction or snapshot of the calling thread.
    init(_ opening: SchemaOpening) throws {
        self.opening = opening
        let roots = opening.roots
        stored = try SchemaCatalogue(opening.database).readableSchemas(needing: Set(roots.map(\.name)))
        var (collections, synced): ([String: Collection], Set<String>) = ([:], [])
        for root in roots {
            guard let place = opening.places[root.name] else { continue }
            let collection = try opening.database.collection(name: place.name, scope: place.scope)
            collections[root.name] = collection
            let isReplicated = try collection?.isReplicated() ?? false
            if opening.configuration.mode == .synced || isReplicated { synced.insert(root.name) }
        }
        for schema in stored where collections[schema.title] == nil {
            if try schema.collection?.isReplicated() ?? false { synced.insert(schema.title) }
        }
        (self.collections, self.synced) = (collections, synced)
    }

    // MARK: - Schemas

    private var database: Database { opening.database }
    private var mode: ModelConfiguration.Mode { opening.configuration.mode }
    private var version: UInt64 { opening.configuration.version }

    /// Returns the stored schema of a type; nil if there is none.
    func stored(_ title: String) -> StoredSchema? { stored.first { $0.title == title } }

    private func isDeclared(_ title: String) -> Bool { opening.schema[title].map { !$0.isEmbedded } ?? false }

    /// The stored types of local (not synced) collections. Declared types come first; of two embedded types with the
    /// same name, the one that belongs to a declared type is used.
    var oldLocal: Schema {
        var schema = Schema()
        let local = stored.filter { !synced.contains($0.title) }
        for one in local where isDeclared(one.title) { schema.add(one.schema) }
        for one in local where !isDeclared(one.title) { schema.add(one.schema) }
        return schema
    }

    /// The declared types of local (not synced) collections, and the types that are embedded in them.
    var newLocal: Schema {
        var schema = Schema()
        for root in opening.roots where !synced.contains(root.name) {
            schema.add(opening.schema.closure(of: root.name))
        }
        return schema
    }

    /// The greatest version of the stored types of local (not synced) collections; nil if there are none.
    var localVersion: UInt64? { stored.filter { !synced.contains($0.title) }.map(\.version).max() }

    /// The changes from the stored to the declared types, as far as their collections are local (not synced).
    var localChanges: [SchemaChange] { oldLocal.changes(to: newLocal) }

    // MARK: - Checks

    /// Checks that reading needs no migration.
    ///
    /// - Throws: `SchemaError.readOnlyMismatch` if the stored types lack something that the declared types have,
    ///   `SchemaError.versionMismatch` if the stored version isn't the configuration's,
    ///   `SchemaError.invalidConfiguration` if the documents of a type are in another collection than the declared one.
    func requireReadable() throws(SchemaError) {
        try requireCollections()
        var old = Schema()
        for one in stored { old.add(one.schema) }
        let changes = old.changes(to: opening.schema).filter { !$0.isReadable }
        guard changes.isEmpty else { throw .readOnlyMismatch(changes) }
        if let localVersion, !newLocal.objects.isEmpty, localVersion != version {
            throw .versionMismatch(stored: localVersion, given: version)
        }
    }

    /// Checks that the configuration fits the collections, and that the declared types fit the synced ones.
    ///
    /// - Throws: `SchemaError.migrationNotAllowed` or `SchemaError.invalidConfiguration` if the mode is `synced`, or a
    ///   declared type's collection is synced, and the configuration has a migration function or deletes documents
    ///   instead of migrating them; `SchemaError.additiveOnly` if a synced type has changes other than additions and
    ///   removals.
    func requirePermitted() throws(SchemaError) {
        let types = opening.roots.map(\.name).filter(synced.contains)
        if mode == .synced || !types.isEmpty {
            guard opening.configuration.migration == nil else { throw .migrationNotAllowed }
            guard !opening.configuration.resetIfMigrationNeeded else {
                throw .invalidConfiguration(
                    "'resetIfMigrationNeeded' can't be set if the mode is 'synced' or a type's collection is synced: its documents cannot be deleted instead of being migrated."
                )
            }
        }
        var changes: [SchemaChange] = []
        for type in types {
            guard let old = stored(type) else { continue }
            let found = old.schema.withRemoved.changes(to: opening.schema.closure(of: type))
            changes += found.filter { !$0.isAdditive && !changes.contains($0) }
        }
        guard changes.isEmpty else { throw .additiveOnly(changes) }
    }

    /// Checks that the stored schema of each type names the declared collection.
    ///
    /// - Throws: `SchemaError.invalidConfiguration` if the documents of a type are in another collection than the
    ///   declared one.
    func requireCollections() throws(SchemaError) {
        for (type, place) in opening.places {
            guard let before = stored(type)?.collection,
                QualifiedName(scope: before.scopeName, name: before.name) != place
            else { continue }
            throw .invalidConfiguration(
                "The documents of type '\(type)' are stored in the collection '\(before.fullName)', but the configuration declares the type in '\(place.scope).\(place.name)'."
            )
        }
    }

    // MARK: - The required state

    /// Returns whether the database is already in the state that opening it would produce, so that nothing needs to be
    /// written.
    func isAsDeclared() throws -> Bool {
        if let localVersion, !newLocal.objects.isEmpty, localVersion != version { return false }
        let records = try database.schemaRecords()
        for root in opening.roots {
            guard let collection = collections[root.name], let due = record(of: root.name),
                records.contains(due), try ModelIndexes(collection, root).areMade()
            else { return false }
        }
        return true
    }

    /// Returns the record that the database must store for a declared type; nil if the type's collection doesn't exist
    /// yet.
    func record(of type: String) -> SchemaRecord? {
        guard let collection = collections[type] else { return nil }
        let before = stored(type)
        let isSynced = synced.contains(type)
        var schema = opening.schema.closure(of: type)
        if let before { schema.adopt(before.schema, rememberingRemoved: isSynced) }
        return SchemaCatalogue.record(
            type, of: schema, collection: collection, version: isSynced ? before?.version ?? version : version,
            policy: before?.policy ?? SchemaPolicy())
    }
}

extension Schema {
    /// This schema with the properties in ``ObjectSchema/removed`` as normal properties: applications no longer declare
    /// them, but peers still have them.
    var withRemoved: Schema {
        Schema(
            objects.map { object in
                var object = object
                object.properties += object.removed.filter { object[$0.name] == nil }
                object.removed = []
                return object
            })
    }

    /// Takes over the constraints and the descriptions of a stored schema, where this schema has none.
    ///
    /// - Parameters:
    ///   - stored: the stored schema.
    ///   - rememberingRemoved: true to record the stored properties that are no longer declared in
    ///     ``ObjectSchema/removed``.
    mutating func adopt(_ stored: Schema, rememberingRemoved: Bool) {
        for index in objects.indices {
            guard let before = stored[objects[index].name] else { continue }
            objects[index].adopt(before, rememberingRemoved: rememberingRemoved)
        }
        guard rememberingRemoved else { return }
        // A removed property may contain objects of a type that is no longer declared.
        let needed = objects.flatMap(\.removed).compactMap(\.type.embeddedName)
        for name in needed where self[name] == nil { add(stored.closure(of: name)) }
    }
}

extension ObjectSchema {
    fileprivate mutating func adopt(_ before: ObjectSchema, rememberingRemoved: Bool) {
        if constraints.isEmpty { constraints = before.constraints }
        if description == nil { description = before.description }
        for index in properties.indices {
            guard let old = before[properties[index].name], old.type.isStoredAs(properties[index].type) else {
                continue
            }
            if properties[index].constraints.isEmpty { properties[index].constraints = old.constraints }
            if properties[index].description == nil { properties[index].description = old.description }
        }
        guard rememberingRemoved else { return }
        let earlier = before.properties + before.removed
        removed = earlier.enumerated().filter { index, property in
            self[property.name] == nil && !earlier[..<index].contains { $0.name == property.name }
        }.map { _, property in
            var property = property
            (property.isIndexed, property.vectorIndex) = (false, nil)
            return property
        }
    }
}
