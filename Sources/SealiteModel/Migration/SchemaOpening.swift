internal import SealiteDatabase

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
