/// The effect of a difference between two schemas, from the least to the greatest.
public enum SchemaImpact: String, Sendable, Hashable, CaseIterable, Comparable {
    /// No effect on documents and applications.
    case none
    /// Documents may have values that they couldn't have before.
    case widening
    /// Applications with the old schema and with the new one work at the same time.
    case nonBreaking
    /// Documents that conformed may no longer conform.
    case narrowing
    /// Applications with the old schema don't work with the new one.
    case breaking

    /// Returns whether the left effect is less than the right one.
    public static func < (left: SchemaImpact, right: SchemaImpact) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A difference between two schemas, with its effect on a server that has synced applications and on an application.
public struct SchemaDifference: Sendable, Hashable, CustomStringConvertible {
    /// The name of the object type.
    public let type: String
    /// The name of the property; nil for a difference of the type.
    public let property: String?
    /// A phrase that describes the difference.
    public let reason: String
    /// The effect on the server's side.
    public let server: SchemaImpact
    /// The effect on an application whose code has the new schema.
    public let client: SchemaImpact

    /// The difference as one line.
    public var description: String {
        let name = property.map { "\(type).\($0)" } ?? type
        return "\(name): \(reason) (server: \(server.rawValue), client: \(client.rawValue))"
    }
}

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

extension Schema {
    /// Returns the differences between two schemas, in the order of the new one; removed types and properties come
    /// last.
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
    /// The greatest effect on the server's side.
    public var server: SchemaImpact { map(\.server).max() ?? .none }
    /// The greatest effect on an application.
    public var client: SchemaImpact { map(\.client).max() ?? .none }
}
