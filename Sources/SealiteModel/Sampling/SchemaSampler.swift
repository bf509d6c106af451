public import SealiteValues

/// Infers a schema from the documents of a collection: the types of their members, and the members that all documents
/// have.
///
/// The memory doesn't grow with the number of documents, and is bounded for any content.
public struct SchemaSampler: Sendable {
    /// The number of documents that were added to the sampler.
    public private(set) var documentCount = 0
    private let title: String
    private var root = SampledValue()
    private var budget = SampledValue.Budget()

    /// Creates a sampler of documents of a type.
    ///
    /// - Parameter title: the type's name.
    public init(title: String) { self.title = title }

    /// Adds a document, with its `_id`.
    public mutating func add(_ document: MongoDocument) {
        documentCount += 1
        root.add(.document(document), depth: 0, &budget)
    }

    /// The schema inferred from the documents so far, with embedded types named after their positions, and with numbers
    /// where two names would be the same.
    public var schema: Schema {
        var inference = SchemaInference()
        inference.addRoot(title, root)
        return Schema(inference.objects)
    }

    /// Statistics of one position of the documents.
    public struct Position: Sendable, Hashable {
        /// The names from the document to the position, separated by dots, with `[]` for the items of arrays.
        public let path: String
        /// The number of values for each type, by the type's name in `bsonType`.
        public let types: [String: Int]
        /// The number of objects that could have the member, or of arrays that could have items.
        public let parentCount: Int
        /// The distinct texts at the position with their counts, if they are few and each occurs at least four times on
        /// average; otherwise empty.
        public let enumeration: [String: Int]
    }

    /// The statistics of all positions, each followed by the positions inside it; the members of objects are in the
    /// order of their first occurrence.
    public var places: [Position] {
        var places: [Position] = []
        Self.collect(root, "", &places)
        return places
    }

    private static func collect(_ value: SampledValue, _ path: String, _ places: inout [Position]) {
        let objectCount = value.counts[.object] ?? 0
        for name in value.names {
            guard let member = value.members[name] else { continue }
            add(member, path.isEmpty ? name : "\(path).\(name)", objectCount, &places)
        }
        if let items = value.items.first { add(items, path + ".[]", value.counts[.array] ?? 0, &places) }
    }

    private static func add(_ value: SampledValue, _ path: String, _ parentCount: Int, _ places: inout [Position]) {
        var types: [String: Int] = [:]
        for (kind, count) in value.counts { types[kind.name, default: 0] += count }
        places.append(
            Position(path: path, types: types, parentCount: parentCount, enumeration: value.enumeration))
        collect(value, path, &places)
    }
}

extension SampledValue {
    /// The distinct texts with their counts, if each occurs at least four times on average; otherwise empty.
    fileprivate var enumeration: [String: Int] {
        guard let texts, let count = counts[.scalar(.string)], count >= 4 * texts.count else { return [:] }
        return texts
    }
}

extension SampledKind {
    /// The name of the kind in `bsonType`.
    fileprivate var name: String {
        switch self {
        case .null: "null"
        case .array: "array"
        case .object: "object"
        case .other: "mixed"
        case .scalar(let type): type.bsonTypeName
        }
    }
}

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
            guard kinds.isSubset(of: [.scalar(.int), .scalar(.long), .scalar(.double)]) else { return .mixed }
            return kinds.contains(.scalar(.double)) ? .double : .long
        }
        switch kinds.first {
        case .array: return .array(value.items.first.map { itemType(of: $0, name) } ?? .mixed)
        case .object: return objectType(value, name)
        case .scalar(let type): return type
        case .null, .other, nil: return .mixed
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
