/// A link to an object of another type: the key of the object. Nothing checks that the object is there.
public struct Reference<Target: Model>: Sendable, Hashable {
    /// The ID of the object.
    public let id: Target.ID

    /// A link to the object of an ID.
    public init(id: Target.ID) { self.id = id }

    /// A link to an object.
    public init(_ object: Target) { id = object.id }
}

extension Reference: Codable {
    /// Reads the key.
    public init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(Target.ID.self)
    }
    /// Writes the key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}
