/// A difference between two schemas, with its effect on a server that has synced applications and on an application.
public struct SchemaDifference: Sendable, Hashable, CustomStringConvertible {
    /// The name of the object type.
    public let type: String
    /// The name of the property; nil for a difference of the type.
    public let property: String?
    /// A phrase that describes the difference.
    public let reason: String
    /// The effect on a server that applications sync with.
    public let server: SchemaImpact
    /// The effect on an application whose code has the new schema.
    public let client: SchemaImpact

    /// The difference as one line of text.
    public var description: String {
        let name = property.map { "\(type).\($0)" } ?? type
        return "\(name): \(reason) (server: \(server.rawValue), client: \(client.rawValue))"
    }
}

extension Schema {
    /// Returns the differences between two schemas, in the order of the new one. Removed properties follow the other
    /// properties of their type; removed types come last.
    ///
    /// - Parameters:
    ///   - old: the schema before.
    ///   - new: the schema after.
    ///   - renames: the known renames. Without them, a renamed type counts as one that is removed and one that is
    ///     added.
    /// - Returns: the differences.
    public static func compare(
        _ old: Schema, _ new: Schema, renames: SchemaRenames = SchemaRenames()
    ) -> [SchemaDifference] {
        var comparison = SchemaComparison(renames)
        comparison.compare(old, new)
        return comparison.differences
    }
}

extension [SchemaDifference] {
    /// The greatest effect of the differences on a server that applications sync with; `none` if there are no
    /// differences.
    public var server: SchemaImpact { map(\.server).max() ?? .none }
    /// The greatest effect of the differences on an application whose code has the new schema; `none` if there are no
    /// differences.
    public var client: SchemaImpact { map(\.client).max() ?? .none }
}
