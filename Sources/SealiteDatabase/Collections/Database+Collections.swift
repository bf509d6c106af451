internal import GRDB

extension Database {
    /// Returns the scope `_default`, which always exists.
    public func defaultScope() -> Scope { Scope(database: self, name: Self.defaultScopeName) }

    /// Returns the collection `_default` of the default scope, which always exists.
    public func defaultCollection() throws -> Collection {
        try checkOpen()
        return Collection(
            self, number: FormatTables.defaultCollectionNumber, scope: Self.defaultScopeName,
            name: Self.defaultCollectionName
        )
    }

    /// Returns all collections of the database, sorted by scope and name.
    package func collectionsOfAllScopes() throws -> [Collection] { try scopes().flatMap { try $0.collections() } }

    /// Returns the scopes that have a collection, and `_default`, sorted by name.
    public func scopes() throws -> [Scope] {
        try reading {
            try $0.rows("SELECT DISTINCT scope FROM collections ORDER BY scope") { row in
                Scope(database: self, name: try row.exactText(at: 0, "the stored name of a scope"))
            }
        }
    }

    /// Returns the scope with a name; nil if it has no collection.
    public func scope(name: String) throws -> Scope? {
        try scopes().first { $0.name == name }
    }

    /// Returns the collections of a scope, sorted by name; empty if there is no such scope.
    public func collections(scope: String = defaultScopeName) throws -> [Collection] {
        try reading {
            try $0.rows("SELECT number, name FROM collections WHERE scope = ?1 ORDER BY name", scope) { row in
                Collection(
                    self, number: try row.collectionNumber(at: 0), scope: scope,
                    name: try row.exactText(at: 1, "the stored name of a collection"))
            }
        }
    }

    /// Returns a collection; nil if no collection has that name.
    ///
    /// - Throws: `badName` for an invalid name.
    public func collection(name: String, scope: String = defaultScopeName) throws -> Collection? {
        try Self.checkNames(name, scope)
        return try reading { try self.find(name, scope, $0) }
    }

    /// Returns a collection, creating it if it doesn't exist.
    ///
    /// - Throws: `badName` for an invalid name.
    @discardableResult
    public func createCollection(name: String, scope: String = defaultScopeName) throws -> Collection {
        try Self.checkNames(name, scope)
        return try writer.perform(self) { try self.create(name, scope, $0) }
    }

    /// The asynchronous form of ``createCollection(name:scope:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func createCollection(name: String, scope: String = defaultScopeName) async throws -> Collection {
        try Self.checkNames(name, scope)
        return try await writer.perform(self) { try self.create(name, scope, $0) }
    }

    /// Deletes a collection with all its documents; does nothing if no collection has that name.
    ///
    /// If the collection ever had a document, the next replications of all collections compare all documents again,
    /// because the checkpoints are removed.
    ///
    /// - Throws: `invalidParameter` for the default collection, which can't be deleted; `badName` for an invalid name;
    ///   `databaseTooNew` if the collection has an index that this program can't maintain.
    public func deleteCollection(name: String, scope: String = defaultScopeName) throws {
        try Self.checkNames(name, scope)
        try writer.perform(self) { try self.delete(name, scope, $0) }
    }

    /// The asynchronous form of ``deleteCollection(name:scope:)``, which doesn't block the calling task's thread.
    public func deleteCollection(name: String, scope: String = defaultScopeName) async throws {
        try Self.checkNames(name, scope)
        try await writer.perform(self) { try self.delete(name, scope, $0) }
    }

    private static func checkNames(_ name: String, _ scope: String) throws(DatabaseError) {
        try Names.check(scope, kind: "scope")
        try Names.check(name, kind: "collection")
        guard name != defaultCollectionName || scope == defaultScopeName else {
            throw DatabaseError(.badName, "a collection named _default can exist only in the scope _default")
        }
    }

    private func find(_ name: String, _ scope: String, _ connection: GRDB.Database) throws -> Collection? {
        try connection.first("SELECT number FROM collections WHERE scope = ?1 AND name = ?2", scope, name) { row in
            Collection(self, number: try row.collectionNumber(at: 0), scope: scope, name: name)
        }
    }

    private func create(_ name: String, _ scope: String, _ transaction: Transaction) throws -> Collection {
        let connection = transaction.connection
        if let found = try find(name, scope, connection) { return found }
        let number = try transaction.savepoint {
            try connection.run("INSERT INTO collections (scope, name) VALUES (?1, ?2)", scope, name)
            let number = Int(connection.lastInsertedRowID)
            try FormatTables.createCollection(number, in: connection)
            return number
        }
        transaction.changedSchema = true
        return Collection(self, number: number, scope: scope, name: name)
    }

    private func delete(_ name: String, _ scope: String, _ transaction: Transaction) throws {
        let connection = transaction.connection
        guard let collection = try find(name, scope, connection) else { return }
        guard collection.number != FormatTables.defaultCollectionNumber else {
            throw DatabaseError(.invalidParameter, "the collection _default._default can't be deleted")
        }
        try transaction.savepoint {
            // A collection that never had a document is the same if it is created again.
            let outdatesCheckpoints = try collection.lastSequence(connection) > 0
            try collection.removeIndexes(connection)
            try connection.execute(sql: "DROP TABLE \(collection.sql.table)")
            try transaction.noteRemovedReferences(ofCollection: collection.number)
            let conditions = [
                "blob_references WHERE collection", "refusals WHERE collection", "indexes WHERE collection",
                "schemas WHERE collection", "collections WHERE number",
            ]
            for table in conditions { try connection.run("DELETE FROM \(table) = ?1", collection.number) }
            for store in [Transaction.recordStore(collection), Transaction.eventStore(collection)] {
                try connection.removeLocalValues(store)
            }
            for store in [SyncSpace.store, FormatTables.conflictStore] {
                try connection.removeLocalValue(store, String(collection.number))
            }
            try transaction.forgetPurgedVersions(in: collection)
            if outdatesCheckpoints { try self.removeCheckpoints(of: collection, connection) }
        }
        transaction.forget(collection)
    }

    /// Removes the replication checkpoints of a collection, those of its peers too, so that the next replications compare
    /// its documents again.
    private func removeCheckpoints(of collection: Collection, _ connection: GRDB.Database) throws {
        try connection.execute(
            sql: """
                DELETE FROM local_values WHERE store = 'checkpoints' AND revision = '\(collection.number)'
                    OR store = 'peerCheckpoints' AND name GLOB '\(collection.number)/*'
                    OR store = '\(FormatTables.servedStore)' AND name = '\(collection.number)'
                """)
    }

    // MARK: - The default collection's methods, for a database that needs no other collection

    /// Returns the document with an id in the default collection; nil if there is none or it is deleted.
    ///
    /// - Throws: the errors of `document(id:)`.
    public func document(id: String) throws -> Document? { try defaultCollection().document(id: id) }

    /// The asynchronous form of ``document(id:)``, which doesn't block the calling task's thread.
    public func document(id: String) async throws -> Document? {
        try await read { try self.defaultCollection() }.document(id: id)
    }

    /// Saves a document in the default collection.
    ///
    /// - Throws: the errors of `save(document:)`.
    @discardableResult
    public func save(document: MutableDocument) throws -> Document { try defaultCollection().save(document: document) }

    /// The asynchronous form of ``save(document:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func save(document: MutableDocument) async throws -> Document {
        try await read { try self.defaultCollection() }.save(document: document)
    }

    /// Deletes a document of the default collection.
    ///
    /// - Throws: the errors of `delete(id:)`.
    public func delete(id: String) throws { try defaultCollection().delete(id: id) }

    /// The asynchronous form of ``delete(id:)``, which doesn't block the calling task's thread.
    public func delete(id: String) async throws {
        try await read { try self.defaultCollection() }.delete(id: id)
    }

    /// The number of documents in the default collection, not counting deleted documents.
    public var count: UInt64 { get throws { try defaultCollection().count } }

    /// Returns the number of documents in the default collection, not counting deleted documents, without blocking the
    /// calling task's thread.
    public func documentCount() async throws -> UInt64 { try await read { try self.defaultCollection().count } }
}

extension Scope {
    /// Returns the scope's collections, sorted by name.
    public func collections() throws -> [Collection] { try database.collections(scope: name) }

    /// Returns a collection of the scope; nil if no collection has that name.
    public func collection(name: String) throws -> Collection? {
        try database.collection(name: name, scope: self.name)
    }
}

extension Collection {
    /// Returns the number of documents, not counting deleted documents, without blocking the calling task's thread.
    public func documentCount() async throws -> UInt64 { try await database.read { try self.count } }
}
