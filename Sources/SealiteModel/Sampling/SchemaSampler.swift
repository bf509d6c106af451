public import SealiteValues

/// Makes a schema of the documents of a collection: the types that their members have, and which members all of them have.
///
/// The memory doesn't grow with the number of documents, and is bounded whatever is in them.
public struct SchemaSampler: Sendable {
    /// The number of documents.
    public private(set) var documentCount = 0
    private let title: String
    private var root = SampledValue()
    private var budget = SampledValue.Budget()

    /// A sampler of documents of a type.
    ///
    /// - Parameter title: the type's name.
    public init(title: String) { self.title = title }

    /// Adds a document, with its `_id`.
    public mutating func add(_ document: MongoDocument) {
        documentCount += 1
        root.add(.document(document), depth: 0, &budget)
    }

    /// The schema of the documents so far, with embedded types named after their places.
    public var schema: Schema {
        var inference = SchemaInference()
        inference.addRoot(title, root)
        return Schema(inference.objects)
    }

    /// What came at one place of the documents.
    public struct Place: Sendable, Hashable {
        /// The names from the document to the place, with points between them and `[]` for the items of arrays.
        public let path: String
        /// The number of values by the names that `bsonType` has for their types.
        public let types: [String: Int]
        /// The number of objects or arrays that might have had the value.
        public let parentCount: Int
        /// The texts that came, by how often, where they are few and come again and again.
        public let enumeration: [String: Int]
    }

    /// The places in the order in which they came.
    public var places: [Place] {
        var places: [Place] = []
        Self.collect(root, "", &places)
        return places
    }

    private static func collect(_ value: SampledValue, _ path: String, _ places: inout [Place]) {
        let objectCount = value.counts[.object] ?? 0
        for name in value.names {
            guard let member = value.members[name] else { continue }
            add(member, path.isEmpty ? name : "\(path).\(name)", objectCount, &places)
        }
        if let items = value.items.first { add(items, path + ".[]", value.counts[.array] ?? 0, &places) }
    }

    private static func add(_ value: SampledValue, _ path: String, _ parentCount: Int, _ places: inout [Place]) {
        var types: [String: Int] = [:]
        for (kind, count) in value.counts { types[kind.name, default: 0] += count }
        places.append(
            Place(path: path, types: types, parentCount: parentCount, enumeration: value.enumeration))
        collect(value, path, &places)
    }
}

extension SampledValue {
    /// The texts, where each comes several times on average.
    fileprivate var enumeration: [String: Int] {
        guard let texts, let count = counts[.string], count >= 4 * texts.count else { return [:] }
        return texts
    }
}

extension SampledKind {
    /// The name that `bsonType` has for the kind.
    fileprivate var name: String {
        switch self {
        case .null: "null"
        case .array: "array"
        case .object: "object"
        case .other: "mixed"
        default: type?.bsonTypeName ?? "mixed"
        }
    }
}
