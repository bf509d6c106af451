public import SealiteDatabase

/// A stored document that doesn't conform to the schema of its collection.
public struct UnfitDocument: Sendable {
    /// The document that doesn't conform to the schema.
    public let document: Document
    /// The name of the document's type in the schema.
    public let type: String
    /// The document's violations of the schema.
    public let violations: [SchemaViolation]
}

extension DocumentValidator {
    /// Returns the violations of a document; empty if it conforms.
    public func violations(in document: Document) -> [SchemaViolation] {
        violations(inBody: document.body, id: document.id)
    }
}
