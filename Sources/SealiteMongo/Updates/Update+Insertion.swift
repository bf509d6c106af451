internal import SealiteValues

extension Update {
    /// Returns the document that an upsert inserts if no document fulfils a filter; its first member is the `_id`.
    ///
    /// - Throws: `MongoError` if the filter has two values for one path, or the update can't be applied.
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

/// The rules of `_id`.
enum DocumentID {
    /// Throws an error if a value can't be an `_id`.
    static func check(_ id: BSON) throws(MongoError) {
        switch id {
        case .array, .regex, .undefined:
            throw MongoError(code: 53, "The '_id' value cannot be of type \(id.type.alias)")
        case .document(let document):
            guard let name = document.keys.first(where: { $0.hasPrefix("$") }) else { return }
            throw MongoError(
                code: 52, "_id fields may not contain '$'-prefixed fields: \(name) is not valid for storage.")
        default: break
        }
    }
}
