/// A type of objects inside models whose schema can't be derived completely. Other `Codable` structs need no
/// conformance.
public protocol EmbeddedModel: Codable, Sendable {
    /// The part of the schema that can't be derived from the type.
    static var declaration: ModelDeclaration { get }
}
