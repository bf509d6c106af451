internal import SealiteValues

/// Infers the types of sampled values (Documentation/Models.md §7).
struct SchemaInference {
    /// The number of names above which objects may be dictionaries. They are dictionaries if there are also more than
    /// twice as many names as one object has on average, and the values have one type in common.
    private static let maximumMemberCount = 16

    private(set) var objects: [ObjectSchema] = []
    /// The names of the embedded types.
    private var names: Set<String> = []

    /// Adds the type of the sampled documents, and the types that are embedded in it.
    mutating func addRoot(_ title: String, _ root: SampledValue) {
        var object = object(title, root)
        object.isEmbedded = false
        if let key = object["_id"] {
            if key.type.isKey {
                object.primaryKey = "_id"
            } else {
                object.properties.removeAll { $0.name == "_id" }
            }
        }
        objects.insert(object, at: 0)
    }

    private mutating func object(_ name: String, _ value: SampledValue) -> ObjectSchema {
        let objectCount = value.counts[.object] ?? 0
        var properties: [Property] = []
        for member in value.names {
            guard let values = value.members[member] else { continue }
            var property = Property(member, type(of: values, "\(name)_\(member)"))
            let isAlwaysThere = values.count - (values.counts[.null] ?? 0) == objectCount
            property.isOptional = property.hasOptionality ? !isAlwaysThere : !property.type.isCollection
            properties.append(property)
        }
        return ObjectSchema(name, properties: properties, isEmbedded: true)
    }

    /// Returns the type that all values have in common; mixed if they have several types, or a type that models don't
    /// have.
    private mutating func type(of value: SampledValue, _ name: String) -> PropertyType {
        let kinds = Set(value.counts.keys).subtracting([.null])
        if kinds.count > 1 {
            guard kinds.isSubset(of: [.int, .long, .double]) else { return .mixed }
            return kinds.contains(.double) ? .double : .long
        }
        switch kinds.first {
        case .array: return .array(value.items.first.map { itemType(of: $0, name) } ?? .mixed)
        case .object: return objectType(value, name)
        case let kind?: return kind.type ?? .mixed
        case nil: return .mixed
        }
    }

    /// Returns the type of the items of an array or the values of a dictionary; mixed if some are null.
    private mutating func itemType(of value: SampledValue, _ name: String) -> PropertyType {
        value.counts[.null] == nil ? type(of: value, name) : .mixed
    }

    private mutating func objectType(_ value: SampledValue, _ name: String) -> PropertyType {
        let objectCount = value.counts[.object] ?? 0
        if value.pointCount == objectCount { return .geoPoint }
        let isVaried =
            value.names.count > Self.maximumMemberCount && value.names.count * objectCount > 2 * value.memberCount
        if isVaried || value.hasMoreNames {
            var all = SampledValue()
            for member in value.members.values { all.merge(member) }
            let before = self
            let type = itemType(of: all, name)
            if type != .mixed || value.hasMoreNames { return .dictionary(type) }
            self = before
        }
        let unused = unusedName(name)
        objects.append(object(unused, value))
        return .embedded(unused)
    }

    /// Returns a name for an embedded type that no other one has: the given one, with a number if it is taken.
    private mutating func unusedName(_ name: String) -> String {
        var (unused, number) = (name, 2)
        while !names.insert(unused).inserted {
            unused = "\(name)_\(number)"
            number += 1
        }
        return unused
    }
}
