internal import SealiteValues

/// A parsed `insertOne`: a document with its `_id`.
struct InsertStatement: Sendable {
    /// The document, whose `_id` is its first member.
    let document: MongoDocument

    /// Creates the statement of a document; one without an `_id` gets an ObjectID. Throws `MongoError` if the `_id`
    /// isn't allowed.
    init(_ document: MongoDocument) throws {
        let id = document["_id"] ?? .objectID(ObjectID())
        try DocumentID.check(id)
        var document = document
        document.putFirst("_id", id)
        self.document = document
    }

    /// The document's `_id`.
    var id: BSON { document["_id"] ?? .null }

    /// Inserts the document into a store.
    func run(_ store: some DocumentStore) throws { try store.insert(document) }
}
