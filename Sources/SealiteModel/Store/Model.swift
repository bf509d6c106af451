/// A Swift type whose values are stored as documents (Documentation/Models.md §1).
///
/// ```swift
/// struct Dog: Model {
///     var id = ObjectID()
///     var name: String
///     var age: Int?
/// }
/// ```
public protocol Model: Codable, Identifiable, Sendable where ID: ModelKey {
    /// The part of the schema that can't be derived from the type; by default nothing.
    static var declaration: ModelDeclaration { get }
}

extension Model {
    /// An empty declaration: the Swift name, without defaults, indexes and earlier names.
    public static var declaration: ModelDeclaration { ModelDeclaration() }
}

/// A model whose members all have initial values, which are the defaults of absent members.
public protocol DefaultedModel: Model {
    /// Creates a value with the initial values of all members.
    init()
}

/// A type of objects inside models whose schema can't be derived completely. Other `Codable` structs need no
/// conformance.
public protocol EmbeddedModel: Codable, Sendable {
    /// The part of the schema that can't be derived from the type.
    static var declaration: ModelDeclaration { get }
}
