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
        guard let texts, let count = counts[.string], count >= 4 * texts.count else { return [:] }
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
        default: type?.bsonTypeName ?? "mixed"
        }
    }
}
