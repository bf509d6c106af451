/// The renames in an application's schema.
public struct SchemaRenames: Sendable, Hashable {
    /// The new names of object types by the old ones.
    public var types: [String: String]
    /// The new names of properties by the old ones, by the new names of their types.
    public var properties: [String: [String: String]]

    /// Creates renames.
    public init(types: [String: String] = [:], properties: [String: [String: String]] = [:]) {
        (self.types, self.properties) = (types, properties)
    }
}
