/// The object types of a database or of an application, embedded ones included.
public struct Schema: Sendable, Hashable {
    /// The object types in their order.
    public var objects: [ObjectSchema]

    /// Creates a schema of object types.
    public init(_ objects: [ObjectSchema] = []) { self.objects = objects }

    /// Returns the object type of a name; nil if there is none.
    public subscript(_ name: String) -> ObjectSchema? { objects.first { $0.name == name } }
}
