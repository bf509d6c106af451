/// A warning about a document that was saved although it doesn't conform to the schema: either the policy's action is
/// ``SchemaPolicy/Action/warn``, or a conflict resolver made the document.
public struct SchemaWarning: Sendable, Hashable {
    /// The name of the document's type in the schema.
    public let type: String
    /// The full name of the document's collection: `scope.collection`.
    public let collection: String
    /// The document's ID.
    public let documentID: String
    /// The document's violations of the schema.
    public let violations: [SchemaViolation]
}
