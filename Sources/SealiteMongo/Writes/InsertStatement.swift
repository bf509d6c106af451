internal import SealiteValues

/// An `insertOne`: a document with its `_id`.
struct InsertStatement: Sendable {
    /// The document, whose `_id` is its first member.
    let document: MongoDocument

    /// Gives a document an `_id` if it has none.
    init(_ document: MongoDocument) throws {
        let id = document["_id"] ?? .objectID(ObjectID())
        try DocumentID.check(id)
        var document = document
        document.putFirst("_id", id)
        self.document = document
    }

    /// The `_id`.
    var id: BSON { document["_id"] ?? .null }

    /// Adds the document to a store.
    func run(_ store: some DocumentStore) throws { try store.insert(document) }
}
