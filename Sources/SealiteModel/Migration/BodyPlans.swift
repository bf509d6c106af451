internal import SealiteJSON
internal import SealiteValues

/// The changes that a migration makes to the objects of all types: see ``BodyPlan``.
struct BodyPlans {
    private let plans: [String: BodyPlan]
    /// The types whose objects change, or may contain embedded objects that change.
    private let changing: Set<String>
    /// The types whose objects may lack a required property, directly or in embedded objects.
    private let demanding: Set<String>

    /// Creates the plans for the types that are in both schemas.
    ///
    /// - Parameters:
    ///   - old: the schema before the migration.
    ///   - new: the schema after the migration.
    ///   - renames: for each type the new names of its properties.
    /// - Throws: `SchemaError.invalidSchema` if a default can't be stored.
    init(_ old: Schema, _ new: Schema, renames: [String: [String: String]]) throws(SchemaError) {
        var plans: [String: BodyPlan] = [:]
        for object in new.objects {
            guard let before = old[object.name], before.isEmbedded == object.isEmbedded else { continue }
            plans[object.name] = try BodyPlan(before, object, renames: renames[object.name] ?? [:])
        }
        self.plans = plans
        changing = Self.spread(plans, where: { !$0.keepsMembers })
        demanding = Self.spread(plans, where: { !$0.requirements.isEmpty })
    }

    /// Returns the types for which a condition holds, and all types that contain objects of these types at any depth.
    private static func spread(_ plans: [String: BodyPlan], where holds: (BodyPlan) -> Bool) -> Set<String> {
        var found = Set(plans.filter { holds($0.value) }.keys)
        var count = -1
        while count != found.count {
            count = found.count
            for (name, plan) in plans where !found.isDisjoint(with: plan.nested.compactMap(\.type.embeddedName)) {
                found.insert(name)
            }
        }
        return found
    }

    /// Returns whether the migration may change objects of a type.
    func changes(_ type: String) -> Bool { changing.contains(type) }

    /// Returns whether objects of a type may lack a required property after the migration.
    func demands(_ type: String) -> Bool { demanding.contains(type) }

    // MARK: - Applying

    /// Returns the stored form of an object after the migration; nil for damaged bytes.
    func applied(to body: [UInt8], of type: String) -> [UInt8]? {
        guard changes(type) else { return body }
        let bytes = body.span
        guard let root = JSONBElement(root: bytes), root.end == bytes.count else { return nil }
        var writer = JSONBWriter(capacity: body.count + 64)
        guard write(root, of: type, bytes, to: &writer) else { return nil }
        return writer.bytes
    }

    /// Writes an object with its members after the migration.
    ///
    /// - Returns: false for damaged bytes.
    private func write(
        _ object: JSONBElement, of type: String, _ bytes: borrowing Span<UInt8>, to writer: inout JSONBWriter
    ) -> Bool {
        guard object.type == JSONBType.object else { return false }
        guard changes(type), let plan = plans[type] else {
            writer.element(object.type, bytes, object.start, object.end)
            return true
        }
        let begun = writer.begin(guess: object.end - object.start + 16)
        var offset = object.start
        while offset < object.end {
            guard let member = ObjectMember(bytes, at: offset, limit: object.end), member.name.isString else {
                return false
            }
            guard write(member, from: offset, of: object, plan, bytes, to: &writer) else { return false }
            offset = member.value.end
        }
        for addition in plan.additions
        where !addition.sources.contains(where: { object.member($0.span, in: bytes) != nil }) {
            writer.raw(addition.label.span, 0, addition.label.count)
            writer.raw(addition.value.span, 0, addition.value.count)
        }
        writer.end(JSONBType.object, begun)
        return true
    }

    private func write(
        _ member: ObjectMember, from start: Int, of object: JSONBElement, _ plan: BodyPlan,
        _ bytes: borrowing Span<UInt8>, to writer: inout JSONBWriter
    ) -> Bool {
        guard let index = plan.rules.firstIndex(where: { $0.isAbout(member.name, in: bytes) }) else {
            writer.raw(bytes, start, member.value.end)
            return true
        }
        let rule = plan.rules[index]
        if rule.isRemoved { return true }
        if let rival = rule.rival, object.member(rival.span, in: bytes) != nil { return true }
        if let label = rule.label {
            writer.raw(label.span, 0, label.count)
        } else {
            writer.raw(bytes, start, member.name.end)
        }
        if let value = rule.inPlaceOfNull, member.value.type == JSONBType.null {
            writer.raw(value.span, 0, value.count)
        } else if let type = rule.nested {
            return write(member.value, as: type, bytes, to: &writer)
        } else {
            writer.element(member.value.type, bytes, member.value.start, member.value.end)
        }
        return true
    }

    /// Writes a value with its embedded objects after the migration. A value that isn't of `type`, its type in the
    /// schema, is kept unchanged.
    ///
    /// - Returns: false for damaged bytes.
    private func write(
        _ value: JSONBElement, as type: PropertyType, _ bytes: borrowing Span<UInt8>, to writer: inout JSONBWriter
    ) -> Bool {
        switch (type, value.type) {
        case (.embedded(let name), JSONBType.object): return write(value, of: name, bytes, to: &writer)
        case (.array(let item), JSONBType.array), (.set(let item), JSONBType.array):
            return writeParts(of: value, bytes, to: &writer) { _ in item }
        case (.dictionary(let item), JSONBType.object):
            return writeParts(of: value, bytes, to: &writer) { $0.isMultiple(of: 2) ? .string : item }
        default:
            writer.element(value.type, bytes, value.start, value.end)
            return true
        }
    }

    /// Writes the items of an array, or the names and values of an object. The closure returns the type of the item,
    /// name or value with an index, from 0.
    ///
    /// - Returns: false for damaged bytes.
    private func writeParts(
        of container: JSONBElement, _ bytes: borrowing Span<UInt8>, to writer: inout JSONBWriter,
        _ type: (Int) -> PropertyType
    ) -> Bool {
        let begun = writer.begin(guess: container.end - container.start + 16)
        var (offset, index) = (container.start, 0)
        while offset < container.end {
            guard let part = JSONBElement(bytes, at: offset, limit: container.end),
                write(part, as: type(index), bytes, to: &writer)
            else { return false }
            (offset, index) = (part.end, index + 1)
        }
        writer.end(container.type, begun)
        return true
    }

    // MARK: - Requirements

    /// Returns the required properties without a default that an object lacks, directly and in embedded objects.
    func missing(in body: [UInt8], of type: String) -> Set<String> {
        var found: Set<String> = []
        if let root = JSONBElement(root: body.span) { collect(root, as: .embedded(type), body.span, &found) }
        return found
    }

    private func collect(
        _ value: JSONBElement, as type: PropertyType, _ bytes: borrowing Span<UInt8>, _ found: inout Set<String>
    ) {
        switch (type, value.type) {
        case (.embedded(let name), JSONBType.object):
            guard demands(name), let plan = plans[name] else { return }
            for requirement in plan.requirements {
                let member = value.member(requirement.name.span, in: bytes)
                if member == nil || member?.type == JSONBType.null { found.insert(requirement.description) }
            }
            for nested in plan.nested {
                guard let member = value.member(nested.name.span, in: bytes) else { continue }
                collect(member, as: nested.type, bytes, &found)
            }
        case (.array(let item), JSONBType.array), (.set(let item), JSONBType.array),
            (.dictionary(let item), JSONBType.object):
            var offset = value.start
            while let part = JSONBElement(bytes, at: offset, limit: value.end) {
                collect(part, as: item, bytes, &found)
                offset = part.end
            }
        default: break
        }
    }
}

extension BodyPlan.Rule {
    fileprivate func isAbout(_ label: JSONBElement, in bytes: borrowing Span<UInt8>) -> Bool {
        label.end - label.start == name.count && label.hasPayload(name.span, in: bytes)
    }
}

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
