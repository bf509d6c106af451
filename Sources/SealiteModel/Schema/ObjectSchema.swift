public import SealiteValues

/// The schema of an object type: its properties and its primary key.
public struct ObjectSchema: Sendable, Hashable {
    /// The name of the type, which is the `title` of its JSON Schema.
    public var name: String
    /// The name of the property that is the document's ID; nil for embedded types, and for types whose ID isn't a
    /// property.
    public var primaryKey: String?
    /// The properties in their order, including the primary key.
    public var properties: [Property]
    /// A Boolean value that says whether objects of the type are inside other objects.
    public var isEmbedded: Bool
    /// A description of the type for readers and generated code.
    public var description: String?
    /// Keywords of JSON Schema on the whole object that a Swift type can't express, such as `maxProperties`.
    public var constraints: MongoDocument
    /// Properties that the code of a synced collection no longer declares. New documents still get the default, or an
    /// empty value, for those that are required.
    public var removed: [Property]

    /// Creates a schema of an object type.
    public init(
        _ name: String, primaryKey: String? = nil, properties: [Property], isEmbedded: Bool = false,
        description: String? = nil, constraints: MongoDocument = [:], removed: [Property] = []
    ) {
        (self.name, self.primaryKey, self.properties) = (name, primaryKey, properties)
        (self.isEmbedded, self.description) = (isEmbedded, description)
        (self.constraints, self.removed) = (constraints, removed)
    }

    /// Returns the property of a name; nil if there is none.
    public subscript(_ name: String) -> Property? { properties.first { $0.name == name } }
}
