import SealiteDatabase

/// The collections that a command names. Those that are missing are created, and removed again if the command fails
/// before they receive a document.
struct NamedCollections {
    let collections: [Collection]
    private let created: [Collection]

    /// Finds collections, and creates the missing ones if `mayCreate` is true.
    ///
    /// - Throws: an error if a collection is missing and may not be created.
    init(_ names: [CollectionName], in database: Database, mayCreate: Bool) throws {
        var (collections, created): ([Collection], [Collection]) = ([], [])
        for name in names {
            if let found = try database.collection(name: name.name, scope: name.scope) {
                collections.append(found)
            } else if mayCreate {
                created.append(try database.createCollection(name: name.name, scope: name.scope))
                collections += created.suffix(1)
            } else {
                collections.append(try name.find(in: database))
            }
        }
        (self.collections, self.created) = (collections, created)
    }

    /// Runs a sync of the collections. If the sync fails, the collections that were created for it and are still empty
    /// are deleted.
    func sync(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            // The user needs the error of the sync, not one of the deletion: a remaining empty collection does no harm.
            for collection in created { try? Self.deleteIfEmpty(collection) }
            throw error
        }
    }

    /// Deletes a collection that has never had a document, in one transaction: another process may write to it.
    private static func deleteIfEmpty(_ collection: Collection) throws {
        try collection.database.inBatch {
            guard try collection.lastSequence == 0 else { return }
            try collection.database.deleteCollection(name: collection.name, scope: collection.scopeName)
        }
    }
}
