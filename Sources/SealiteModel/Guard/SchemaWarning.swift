/// A document that was saved although it doesn't fit the schema: the policy's action is ``SchemaPolicy/Action/warn``, or a conflict resolver made it.
public struct SchemaWarning: Sendable, Hashable {
    /// The type's name.
    public let type: String
    /// The full name of the collection.
    public let collection: String
    /// The document's ID.
    public let documentID: String
    /// The places where it doesn't fit.
    public let violations: [SchemaViolation]
}
