/// A link to an object of a type: the primary key of the object. Whether the object exists isn't checked.
public struct Reference<Target: Model>: Sendable, Hashable {
    /// The ID of the object.
    public let id: Target.ID

    /// Creates a link to the object with an ID.
    public init(id: Target.ID) { self.id = id }

    /// Creates a link to an object.
    public init(_ object: Target) { id = object.id }
}

extension Reference: Codable {
    /// Decodes the ID of the linked object.
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(Target.ID.self)
    }
    /// Encodes the ID of the linked object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}
