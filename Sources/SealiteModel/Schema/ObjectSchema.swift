public import SealiteValues

/// The schema of an object type: its properties, and how its objects are identified.
public struct ObjectSchema: Sendable, Hashable {
    /// The name of the type, which is the `title` of its JSON Schema.
    public var name: String
    /// The name of the property that is the document's ID; nil for embedded types, and for types whose documents have an ID that no property shows.
    public var primaryKey: String?
    /// The properties in their order, the primary key among them.
    public var properties: [Property]
    /// A Boolean value that says whether objects of the type live inside other objects.
    public var isEmbedded: Bool
    /// A description for readers and generated code.
    public var description: String?
    /// Keywords of JSON Schema about the whole object that a Swift type can't say, such as `maxProperties`.
    public var constraints: MongoDocument
    /// Properties that the code of a synced collection doesn't declare any more, and that new objects still get an empty value for.
    public var removed: [Property]

    /// A schema of an object type.
    public init(
        _ name: String, primaryKey: String? = nil, properties: [Property], isEmbedded: Bool = false,
        description: String? = nil, constraints: MongoDocument = [:], removed: [Property] = []
    ) {
        (self.name, self.primaryKey, self.properties) = (name, primaryKey, properties)
        (self.isEmbedded, self.description) = (isEmbedded, description)
        (self.constraints, self.removed) = (constraints, removed)
    }

    /// Returns the property of a name; nil where there is none.
    public subscript(_ name: String) -> Property? { properties.first { $0.name == name } }
}
