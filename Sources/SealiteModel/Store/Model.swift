/// A Swift type whose values are kept as documents (Documentation/Models.md §1).
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
    /// Nothing: the name is Swift's, and there are no defaults, indexes and earlier names.
    public static var declaration: ModelDeclaration { ModelDeclaration() }
}

/// A model whose members all have initial values, which are the defaults of absent members.
public protocol DefaultedModel: Model {
    /// A value with the initial values of all members.
    init()
}

/// A type of objects inside models, where something can't be derived from it. Other `Codable` structs need no conformance.
public protocol EmbeddedModel: Codable, Sendable {
    /// The part of the schema that can't be derived from the type.
    static var declaration: ModelDeclaration { get }
}
