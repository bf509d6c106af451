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
            let place = try place(of: name, type.declaration.collection ?? name)
            let opening = SchemaOpening(
                database, schema, places: [name: place], ModelConfiguration(types: [], mode: .synced))
            guard let collection = try opening.run()[name] else { throw SchemaError.unknownType(name) }
            transaction.reloadGuards()
            return collection
        }
    }

    /// Returns the scope and the name of the collection for a type's objects.
    private func place(of type: String, _ collection: String) throws -> QualifiedName {
        let stored = try SchemaCatalogue(database).storedSchemas()
        let titles = Dictionary(
            stored.compactMap { schema in schema.collection.map { ($0.number, schema.title) } }
        ) { first, _ in first }
        let entries = try database.scopes().flatMap { scope in
            try scope.collections().map {
                CollectionLookup.Entry(scope: scope.name, collection: $0.name, title: titles[$0.number])
            }
        }
        switch CollectionLookup(type: type, developmentScope: scope, among: entries) {
        case .known(let scope, let name): return QualifiedName(scope: scope, name: name)
        case .missing(let scope, _):
            let taken = entries.first { $0.scope == scope && $0.collection == collection }?.title
            guard let taken else { return QualifiedName(scope: scope, name: collection) }
            throw refusal(collection, taken)
        case .taken(let title): throw refusal(type, title)
        }
    }

    private func refusal(_ collection: String, _ title: String) -> SchemaError {
        .invalidConfiguration("The collection '\(scope).\(collection)' has the objects of type '\(title)'.")
    }
}
