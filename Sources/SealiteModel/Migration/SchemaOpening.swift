internal import SealiteDatabase

/// Brings a database to declared types when it is opened (Documentation/Models.md §4, §5): compares them with the stored schemas, migrates documents, makes collections and
/// indexes, and stores the schemas. It is one transaction, and none where all is as declared already.
struct SchemaOpening {
    let database: Database
    /// The declared types and those embedded in them.
    let schema: Schema
    /// The places of the collections, by the names of the types that have documents of their own.
    let places: [String: CollectionPlace]
    let configuration: ModelConfiguration

    /// An opening.
    init(
        _ database: Database, _ schema: Schema, places: [String: CollectionPlace], _ configuration: ModelConfiguration
    ) {
        (self.database, self.schema) = (database, schema)
        (self.places, self.configuration) = (places, configuration)
    }

    /// The declared types that have documents of their own.
    var roots: [ObjectSchema] { schema.objects.filter { !$0.isEmbedded } }

    /// Opens the database.
    ///
    /// - Parameter isCancelled: asked while documents are migrated; true gives the migration up.
    /// - Returns: the collections by the names of the types; in the mode `readOnly` those that are there.
    /// - Throws: `SchemaError`, what the migration's function throws, and what the storage throws; then nothing is changed.
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
        var types: [CollectionPlace: String] = [:]
        for root in roots {
            guard let place = places[root.name] else { continue }
            if let other = types.updateValue(root.name, forKey: place) {
                problems.append("Types '\(other)' and '\(root.name)' have the same collection.")
            }
        }
        guard problems.isEmpty else { throw .invalidSchema(problems) }
        guard configuration.version <= UInt64(Int64.max) else {
            throw .invalidConfiguration("A schema version has at most 63 bits.")
        }
    }
}
