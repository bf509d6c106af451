/// The renames of types and properties in an application's schema.
public struct SchemaRenames: Sendable, Hashable {
    /// The new names of object types, by their old names.
    public var types: [String: String]
    /// For each object type, by its new name, the new names of properties by their old names.
    public var properties: [String: [String: String]]

    /// Creates renames of types and properties.
    public init(types: [String: String] = [:], properties: [String: [String: String]] = [:]) {
        (self.types, self.properties) = (types, properties)
    }
}
