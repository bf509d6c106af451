internal import SealiteJSON
internal import SealiteValues

/// The changes that a migration makes to the members of a type's objects: derived once, applied to each object in one
/// pass over its stored form.
struct BodyPlan {
    /// The change of a member that an object may have.
    struct Rule {
        /// The member's present name.
        let name: [UInt8]
        /// A Boolean value that says whether the migration removes the member.
        var isRemoved = false
        /// The member's new name, as a stored element; nil if it isn't renamed.
        var label: [UInt8]?
        /// The type of the member's values, if these contain embedded objects; otherwise nil.
        var nested: PropertyType?
        /// The stored value that replaces null; nil if null is kept.
        var inPlaceOfNull: [UInt8]?
        /// The name of another member that takes precedence if an object has both; nil if there is none.
        var rival: [UInt8]?
    }

    /// A member that is added to objects without it.
    struct Addition {
        /// The member's name and its earlier names. If the object has a member with one of these names before the
        /// migration, none is added.
        let sources: [[UInt8]]
        /// The member's name as a stored element.
        let label: [UInt8]
        let value: [UInt8]
    }

    /// A required property without a default, which objects may lack because it was optional before.
    struct Requirement {
        let name: [UInt8]
        /// The names of the type and the property, `Type.property`, for error messages.
        let description: String
    }

    var rules: [Rule] = []
    var additions: [Addition] = []
    var requirements: [Requirement] = []
    /// The members whose values contain embedded objects, by their new names.
    var nested: [(name: [UInt8], type: PropertyType)] = []

    /// A Boolean value that says whether the members of an object don't change, except for changes inside embedded
    /// objects.
    var keepsMembers: Bool { rules.allSatisfy { $0.isPlainDescent } && additions.isEmpty }
}

extension BodyPlan.Rule {
    /// A Boolean value that says whether the member itself doesn't change, though embedded objects in its value may.
    fileprivate var isPlainDescent: Bool { !isRemoved && label == nil && inPlaceOfNull == nil && rival == nil }
}

extension BodyPlan {
    /// Creates the plan for a type.
    ///
    /// - Parameters:
    ///   - old: the type before the migration.
    ///   - new: the type after the migration.
    ///   - renames: the new names of properties of the old type.
    /// - Throws: `SchemaError.invalidSchema` if a default can't be stored.
    init(_ old: ObjectSchema, _ new: ObjectSchema, renames: [String: String]) throws(SchemaError) {
        // The old primary key isn't among the members; its value is each document's ID.
        var known = Set(old.primaryKey.map { [renames[$0] ?? $0] } ?? [])
        for property in old.properties where !old.isKey(property.name) {
            let name = renames[property.name] ?? property.name
            known.insert(name)
            try add(property, new.isMember(name) ? new[name] : nil, of: new)
        }
        for property in new.properties where !known.contains(property.name) && !new.isKey(property.name) {
            try add(new: property, of: new)
        }
    }

    private mutating func add(_ old: Property, _ new: Property?, of type: ObjectSchema) throws(SchemaError) {
        var rule = Rule(name: Array(old.name.utf8))
        guard let new else {
            // The member of the new primary key stays until the document has its new ID.
            rule.isRemoved = !type.isKey(old.name)
            return rules.append(rule)
        }
        guard old.type.isStoredAs(new.type) else {
            rule.isRemoved = true
            rules.append(rule)
            return try add(new: new, of: type)
        }
        if !ExactText.areSame(old.name, new.name) {
            rule.label = Self.label(new.name)
            rules.append(Rule(name: Array(new.name.utf8), rival: rule.name))
        }
        if new.type.embeddedName != nil {
            rule.nested = new.type
            nested.append((Array(new.name.utf8), new.type))
        }
        if new.isRequired, !old.isRequired {
            if let value = new.storedDefault {
                rule.inPlaceOfNull = try Self.stored(value, of: new, in: type)
                let sources = [rule.name, Array(new.name.utf8)]
                additions.append(
                    Addition(sources: sources, label: Self.label(new.name), value: rule.inPlaceOfNull ?? []))
            } else {
                requirements.append(
                    Requirement(name: Array(new.name.utf8), description: "\(type.name).\(new.name)"))
            }
        }
        if !rule.isPlainDescent || rule.nested != nil { rules.append(rule) }
    }

    /// Adds a property that the type didn't have, or had with another type.
    private mutating func add(new property: Property, of type: ObjectSchema) throws(SchemaError) {
        let name = Array(property.name.utf8)
        if property.type.embeddedName != nil { nested.append((name, property.type)) }
        guard property.isRequired, let initial = property.initialValue else { return }
        let value = try Self.stored(initial, of: property, in: type)
        // An existing member with this name may be removed or renamed by the migration.
        let isFree = rules.contains { $0.name == name && ($0.isRemoved || $0.label != nil) }
        additions.append(Addition(sources: isFree ? [] : [name], label: Self.label(property.name), value: value))
        if !isFree { rules.append(Rule(name: name, inPlaceOfNull: value)) }
    }

    private static func stored(
        _ value: BSON, of property: Property, in type: ObjectSchema
    ) throws(SchemaError) -> [UInt8] {
        do {
            return try value.stored()
        } catch {
            throw .invalidSchema(["The default of '\(type.name).\(property.name)' can't be stored."])
        }
    }

    /// Returns a member's name as a JSONB element.
    static func label(_ name: String) -> [UInt8] {
        var writer = JSONBWriter(capacity: name.utf8.count + 5)
        writer.string(name)
        return writer.bytes
    }
}

extension ObjectSchema {
    /// Returns whether a property is the primary key, which isn't a member of the documents' bodies.
    func isKey(_ name: String) -> Bool { primaryKey.map { ExactText.areSame($0, name) } ?? false }

    /// Returns whether the type has a property with a name, other than the primary key, so that it is a member of the
    /// documents' bodies.
    func isMember(_ name: String) -> Bool { self[name] != nil && !isKey(name) }
}
