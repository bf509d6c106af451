import SealiteFile

/// A part of the schema that couldn't be created again.
public struct SchemaFailure: Sendable, Equatable, Encodable {
    /// The type of object: table, index, view or trigger.
    public let type: String
    /// The object's name.
    public let name: String
    /// SQLite's error message.
    public let reason: String
}
