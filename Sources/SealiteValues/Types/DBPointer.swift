/// A reference to a document by the name of its collection and its ObjectID, deprecated in BSON.
public struct DBPointer: Sendable, Hashable {
    /// The name of the database, a dot, and the name of the collection.
    public let collection: String
    /// The document's ObjectID.
    public let id: ObjectID

    /// Creates a reference.
    public init(_ collection: String, _ id: ObjectID) { (self.collection, self.id) = (collection, id) }
}
