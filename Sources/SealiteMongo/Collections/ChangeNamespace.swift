internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The scope and the collection in which a document was changed, with the member names of MongoDB's change events.
public struct ChangeNamespace: Codable, Sendable, Hashable {
    /// The name of the scope.
    public let db: String
    /// The name of the collection.
    public let coll: String

    /// Creates the namespace of a collection in a scope.
    public init(db: String, coll: String) { (self.db, self.coll) = (db, coll) }
}
