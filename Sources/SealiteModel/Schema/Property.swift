public import SealiteValues

/// A property of an object type: a member of its documents.
public struct Property: Sendable, Hashable {
    /// The name of the property, which is that of the member in documents.
    public var name: String
    /// The type of the property's values.
    public var type: PropertyType
    /// A Boolean value that says whether the member may be absent. It is false for lists, sets and dictionaries, and
    /// true for links, embedded objects and mixed values.
    public var isOptional: Bool
    /// A Boolean value that says whether the property has an index.
    public var isIndexed: Bool
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
        constraints: MongoDocument = [:]
    ) {
        (self.name, self.type, self.isOptional, self.isIndexed) = (name, type, isOptional, isIndexed)
        (self.defaultValue, self.renamedFrom) = (defaultValue, renamedFrom)
        (self.description, self.constraints) = (description, constraints)
    }
}
