internal import SealiteValues

extension Update {
    /// Returns the document that an upsert inserts if no document fulfils a filter; its first member is the `_id`.
    ///
    /// - Throws: `MongoError` if the filter has two values for one path, the update can't be applied, or the `_id`
    ///   isn't allowed.
    func insertion(for filter: MongoDocument) throws -> MongoDocument {
        let seed = try UpsertSeed.document(of: filter, onlyID: isReplacement)
        if let id = seed["_id"] { try DocumentID.check(id) }
        var document = try apply(to: seed, isInsertion: true)
        let id = document["_id"] ?? .objectID(ObjectID())
        try DocumentID.check(id)
        document.putFirst("_id", id)
        return document
    }
}
