public import SealiteValues

/// The object types of a database or of an application, embedded ones included.
public struct Schema: Sendable, Hashable {
    /// The object types in their order.
    public var objects: [ObjectSchema]

    /// Creates a schema of object types.
    public init(_ objects: [ObjectSchema] = []) { self.objects = objects }

    /// Returns the object type of a name; nil if there is none.
    public subscript(_ name: String) -> ObjectSchema? { objects.first { $0.name == name } }
}

/// The schema of an object type: its properties and its primary key.
public struct ObjectSchema: Sendable, Hashable {
    /// The maximum number of characters, and of bytes, of the name of a type with documents of its own in App Services,
    /// where it is the title of the type's schema.
    static let maximumNameLength = 57

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

/// A property of an object type: a member of its documents.
public struct Property: Sendable, Hashable {
    /// The name of the property, which is that of the member in documents.
    public var name: String
    /// The type of the property's values.
    public var type: PropertyType
    /// A Boolean value that says whether the member may be absent. It is false for lists, sets and dictionaries, and
    /// true for links, embedded objects and mixed values.
    public var isOptional: Bool
    /// A Boolean value that says whether the property has a value index.
    public var isIndexed: Bool
    /// The definition of the property's vector index; nil if it has none.
    public var vectorIndex: PropertyVectorIndex?
    /// The default: the value with which an absent member is decoded. Nil if none is declared.
    public var defaultValue: BSON?
    /// Earlier names of the member, the latest first.
    public var renamedFrom: [String]
    /// A description of the property for readers and generated code.
    public var description: String?
    /// Keywords of JSON Schema that a Swift type can't express, such as `minimum` and `pattern`; validation checks
    /// them.
    public var constraints: MongoDocument

    /// Creates a property.
    public init(
        _ name: String, _ type: PropertyType, isOptional: Bool = false, isIndexed: Bool = false,
        defaultValue: BSON? = nil, renamedFrom: [String] = [], description: String? = nil,
        constraints: MongoDocument = [:], vectorIndex: PropertyVectorIndex? = nil
    ) {
        (self.name, self.type, self.isOptional, self.isIndexed) = (name, type, isOptional, isIndexed)
        self.vectorIndex = vectorIndex
        (self.defaultValue, self.renamedFrom) = (defaultValue, renamedFrom)
        (self.description, self.constraints) = (description, constraints)
    }
}
