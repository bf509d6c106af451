/// A Swift type whose values are stored as documents (Documentation/Models.md §1).
///
/// ```swift
/// import SealiteModel
/// import SealiteValues
///
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
