internal import SealiteDatabase

extension ModelStore {
    /// Returns the documents of all stored schemas that don't conform to them, because sync brought them, or because
    /// they are older than their schema.
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

    /// Sets the rules by which a type's documents are validated, in this process and in every other one that validates.
    /// They are stored in the database.
    ///
    /// - Throws: `SchemaError.unknownType` if there is no schema of the type.
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
