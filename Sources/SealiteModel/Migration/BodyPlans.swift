internal import SealiteJSON

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
