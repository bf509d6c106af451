/// A type of embedded objects of models that declares the part of its schema that can't be derived from the Swift type.
/// Embedded types without such a part are `Codable` structs that need no conformance.
public protocol EmbeddedModel: Codable, Sendable {
    /// The part of the schema that can't be derived from the type.
    static var declaration: ModelDeclaration { get }
}
