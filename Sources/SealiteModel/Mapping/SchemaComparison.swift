internal import SealiteValues

/// Finds the differences between two schemas and their effects, according to App Services' table of changes.
struct SchemaComparison {
    private(set) var differences: [SchemaDifference] = []
    private let renames: SchemaRenames
    private var type = ""
    private var property: String?

    init(_ renames: SchemaRenames) { self.renames = renames }

    // MARK: - Types

    mutating func compare(_ old: Schema, _ new: Schema) {
        let oldTypes = Dictionary(old.objects.map { ($0.name, $0) }) { first, _ in first }
        let newTypes = Dictionary(new.objects.map { ($0.name, $0) }) { first, _ in first }
        let oldNames = Dictionary(renames.types.map { ($0.value, $0.key) }) { first, _ in first }
        for object in new.objects {
            (type, property) = (object.name, nil)
            if let before = oldTypes[object.name] {
                compare(before, object)
            } else if let name = oldNames[object.name], let before = oldTypes[name] {
                note("the type has been renamed", server: .breaking, client: .breaking)
                compare(before, object)
            } else {
                note("the type has been added", server: .nonBreaking, client: .nonBreaking)
            }
        }
        for object in old.objects where newTypes[object.name] == nil {
            (type, property) = (object.name, nil)
            guard renames.types[object.name].flatMap({ newTypes[$0] }) == nil else { continue }
            note("the type has been removed", server: .breaking, client: .nonBreaking)
        }
    }

    private mutating func compare(_ old: ObjectSchema, _ new: ObjectSchema) {
        if old.isEmbedded != new.isEmbedded {
            let reason = new.isEmbedded ? "the type has become embedded" : "the type is no longer embedded"
            note(reason, server: .breaking, client: .breaking)
        }
        if old.primaryKey != new.primaryKey {
            note("the primary key has changed", server: .breaking, client: .breaking)
        }
        if old.description != new.description { note("the description has changed", server: .none, client: .none) }
        note(ConstraintComparison.impacts(old.constraints, new.constraints))
        let oldProperties = Dictionary(old.properties.map { ($0.name, $0) }) { first, _ in first }
        let newProperties = Dictionary(new.properties.map { ($0.name, $0) }) { first, _ in first }
        var renamed: Set<String> = []
        for after in new.properties {
            property = after.name
            if let before = oldProperties[after.name] {
                compare(before, after)
            } else if let before = earlier(after, oldProperties, newProperties) {
                renamed.insert(before.name)
                compare(before, after)
            } else {
                note("the property has been added", server: .nonBreaking, client: .nonBreaking)
            }
        }
        for before in old.properties where newProperties[before.name] == nil && !renamed.contains(before.name) {
            property = before.name
            note("the property has been removed", server: .breaking, client: .nonBreaking)
        }
    }

    // MARK: - Properties

    /// Returns the old property from which a new property has been renamed; nil if it hasn't been renamed. The rename
    /// breaks an application unless its new schema declares the earlier name.
    private mutating func earlier(
        _ property: Property, _ old: [String: Property], _ new: [String: Property]
    ) -> Property? {
        let told = renames.properties[type]?.first { $0.value == property.name }?.key
        let declared = property.renamedFrom.first { old[$0] != nil && new[$0] == nil }
        guard let name = declared ?? told, let before = old[name], new[name] == nil else { return nil }
        note(
            "the property has been renamed from '\(name)'", server: .breaking,
            client: declared == nil ? .breaking : .nonBreaking)
        return before
    }

    private mutating func compare(_ old: Property, _ new: Property) {
        if old.type != new.type {
            note(Self.reason(old.type, new.type), server: .breaking, client: .breaking)
        } else if new.isRequired != old.isRequired {
            let reason = new.isRequired ? "the property has become required" : "the property has become optional"
            note(reason, server: .breaking, client: .breaking)
        }
        switch (old.defaultValue, new.defaultValue) {
        case (let before, let after) where before == after: break
        case (_, nil):
            // Documents without the member conformed, because it had a default.
            note(
                "the default has been removed", server: new.isRequired ? .narrowing : .nonBreaking, client: .nonBreaking
            )
        case (nil, _): note("a default has been added", server: .nonBreaking, client: .nonBreaking)
        default: note("the default has changed", server: .nonBreaking, client: .nonBreaking)
        }
        if old.isIndexed != new.isIndexed {
            note(
                new.isIndexed ? "an index has been added" : "the index has been removed", server: .none, client: .none)
        }
        if old.description != new.description { note("the description has changed", server: .none, client: .none) }
        note(ConstraintComparison.impacts(old.constraints, new.constraints))
    }

    /// Returns the phrase for a changed type. Integers of two widths, and links with two types of keys, need different
    /// phrases, since the types have the same name.
    private static func reason(_ old: PropertyType, _ new: PropertyType) -> String {
        switch (old, new) {
        case (.int, .long): "integers have 64 bits, not 32"
        case (.long, .int): "integers have 32 bits, not 64"
        case _ where old.name == new.name: "the width of integers, or the type of the link's key, has changed"
        default: "the type is '\(new.name)', not '\(old.name)'"
        }
    }

    // MARK: - Differences

    private mutating func note(_ reason: String, server: SchemaImpact, client: SchemaImpact) {
        differences.append(
            SchemaDifference(type: type, property: property, reason: reason, server: server, client: client))
    }

    private mutating func note(_ impacts: [(keyword: String, impact: SchemaImpact)]) {
        for (keyword, impact) in impacts { note("'\(keyword)' is \(impact.phrase)", server: impact, client: .none) }
    }
}

extension SchemaImpact {
    fileprivate var phrase: String {
        switch self {
        case .narrowing: "narrower"
        case .widening: "wider"
        default: "different"
        }
    }
}
