internal import SealiteDatabase

extension ModelStore {
    /// Returns the documents that don't conform to the stored schema of their type, such as documents that sync
    /// received, or that are older than the schema.
    ///
    /// - Throws: `SchemaError.damagedSchema`, and errors from reading.
    public func unfitDocuments() throws -> UnfitDocuments {
        try UnfitDocuments(of: try SchemaCatalogue(database).storedSchemas())
    }

    /// Returns the rules by which a type's documents are validated.
    ///
    /// - Throws: `SchemaError.unknownType` if the catalogue has no schema of the type.
    public func policy(of type: any Model.Type) throws -> SchemaPolicy {
        guard let stored = try SchemaCatalogue(database).storedSchema(type.schemaName) else {
            throw SchemaError.unknownType(type.schemaName)
        }
        return stored.policy
    }

    /// Sets the rules by which a type's documents are validated. They are stored in the database, and apply to every
    /// process that validates.
    ///
    /// - Throws: `SchemaError.unknownType` if the catalogue has no schema of the type.
    public func setPolicy(_ policy: SchemaPolicy, of type: any Model.Type) throws {
        try database.write { transaction in
            let catalogue = SchemaCatalogue(database)
            guard let stored = try catalogue.storedSchema(type.schemaName) else {
                throw SchemaError.unknownType(type.schemaName)
            }
            try catalogue.store(
                stored.title, of: stored.schema, collection: stored.collection, version: stored.version, policy: policy)
            transaction.reloadGuards()
        }
    }
}
