internal import SealiteDatabase

/// Accepts types that the configuration of a store doesn't name, during the development of an application
/// (Documentation/Models.md §6).
struct DevelopmentMode {
    let database: Database
    /// The scope in which collections are created for types without a stored schema.
    let scope: String

    /// Returns the collection of a type's objects: the collection whose stored schema has the type's name, in any
    /// scope, or a new collection. The type's schema is stored; if a stored schema lacks properties of the type, they
    /// are added to it.
    ///
    /// - Throws: `SchemaError.additiveOnly` if the type differs from its stored schema in another way,
    ///   `SchemaError.invalidConfiguration` if the collection with the type's name contains another type's objects.
    func collection(of type: any Model.Type) throws -> Collection {
        let schema = try Schema(of: [type])
        let name = type.schemaName
        return try database.write { transaction in
            let place = try place(of: type)
            let opening = SchemaOpening(
                database, schema, places: [name: place], ModelConfiguration(types: [], mode: .synced))
            guard let collection = try opening.run()[name] else { throw SchemaError.unknownType(name) }
            transaction.reloadGuards()
            return collection
        }
    }

    /// Returns the scope and the name of the collection for a type's objects.
    ///
    /// - Throws: `SchemaError.invalidConfiguration` if the collection to create contains another type's objects.
    private func place(of type: any Model.Type) throws -> QualifiedName {
        let stored = try SchemaCatalogue(database).storedSchemas()
        let titles = Dictionary(
            stored.compactMap { schema in schema.collection.map { ($0.number, schema.title) } }
        ) { first, _ in first }
        let entries = try database.scopes().flatMap { scope in
            try scope.collections().map {
                CollectionLookup.Entry(scope: scope.name, collection: $0.name, title: titles[$0.number])
            }
        }
        let name = type.schemaName
        let found = CollectionLookup(type: name, developmentScope: scope, among: entries)
        if case .known(let scope, let collection) = found { return QualifiedName(scope: scope, name: collection) }
        // The declaration may name another collection than the one that the lookup expects.
        let collection = type.declaration.collection ?? Schema.collectionName(of: name)
        if let title = entries.first(where: { $0.scope == scope && $0.collection == collection })?.title {
            throw SchemaError.invalidConfiguration(
                "The collection '\(scope).\(collection)' has the objects of type '\(title)', and can't have those of type '\(name)'."
            )
        }
        return QualifiedName(scope: scope, name: collection)
    }
}
