internal import SealiteValues

/// Statistics of the values at one position of the sampled documents. The memory doesn't grow with the number of
/// documents.
struct SampledValue: Sendable {
    /// The number of values of each kind at the position.
    private(set) var counts: [SampledKind: Int] = [:]
    /// The names of the members of all objects, in the order of their first occurrence.
    private(set) var names: [String] = []
    private(set) var members: [String: SampledValue] = [:]
    /// The total number of members of all objects, for the average per object.
    private(set) var memberCount = 0
    /// A Boolean value that says whether some names weren't kept.
    private(set) var hasMoreNames = false
    /// The number of objects that are GeoJSON points (`{"type": "Point", "coordinates": […]}`).
    private(set) var pointCount = 0
    /// The statistics of the items of all arrays: one element, or none if no array had items.
    private(set) var items: [SampledValue] = []
    /// The distinct texts with their counts; nil if there are too many, or too long ones, for an enumeration.
    private(set) var texts: [String: Int]? = [:]

    /// The bounds on the memory for the statistics of all positions together.
    struct Budget: Sendable {
        /// The number of positions for which statistics may still be added.
        var places = 10_000
        /// The depth below a document from which on values are only counted, not examined.
        static let maximumDepth = 100
        /// The maximum number of names that are kept at one position.
        static let maximumNameCount = 1000
        static let maximumNameLength = 255
        /// The maximum number of different texts at one position that are taken for the values of an enumeration.
        static let maximumTextCount = 20
        /// The maximum length, in bytes of UTF-8, of texts that are taken for the values of an enumeration.
        static let maximumTextLength = 64
    }

    /// The total number of values at the position.
    var count: Int { counts.values.reduce(0, +) }

    /// Adds a value, which is `depth` levels below the document, to the statistics of the position.
    mutating func add(_ value: BSON, depth: Int, _ budget: inout Budget) {
        let kind = depth < Budget.maximumDepth ? SampledKind(value) : .other
        counts[kind, default: 0] += 1
        switch value {
        case .string(let text): add(text)
        case .array(let values) where kind == .array:
            if items.isEmpty {
                guard !values.isEmpty, budget.places > 0 else { return }
                budget.places -= 1
                items = [SampledValue()]
            }
            for value in values { items[0].add(value, depth: depth + 1, &budget) }
        case .document(let document) where kind == .object: add(document, depth: depth, &budget)
        default: break
        }
    }

    /// Adds the members of an object to the statistics.
    private mutating func add(_ document: MongoDocument, depth: Int, _ budget: inout Budget) {
        if PropertyType.geoPoint.fitting(.document(document), { _ in nil }) != nil { pointCount += 1 }
        memberCount += document.count
        for member in document {
            if members[member.key] == nil {
                guard budget.places > 0, names.count < Budget.maximumNameCount,
                    member.key.utf8.count <= Budget.maximumNameLength
                else {
                    hasMoreNames = true
                    continue
                }
                budget.places -= 1
                names.append(member.key)
            }
            members[member.key, default: SampledValue()].add(member.value, depth: depth + 1, &budget)
        }
    }

    private mutating func add(_ text: String) {
        guard texts != nil else { return }
        texts?[text, default: 0] += 1
        let isLong = text.utf8.count > Budget.maximumTextLength
        if isLong || (texts?.count ?? 0) > Budget.maximumTextCount { texts = nil }
    }

    /// Adds the statistics of another position to those of this position. The texts aren't kept.
    mutating func merge(_ other: SampledValue) {
        counts.merge(other.counts, uniquingKeysWith: +)
        memberCount += other.memberCount
        pointCount += other.pointCount
        hasMoreNames = hasMoreNames || other.hasMoreNames
        for name in other.names {
            if members[name] == nil { names.append(name) }
            if let value = other.members[name] { members[name, default: SampledValue()].merge(value) }
        }
        for item in other.items {
            if items.isEmpty { items = [item] } else { items[0].merge(item) }
        }
        texts = nil
    }
}

/// The kinds of values that are distinguished in sampled documents.
enum SampledKind: Hashable {
    case null, array, object
    /// A value of a schema type that isn't a container.
    case scalar(PropertyType)
    /// A value of a type that models don't have.
    case other

    init(_ value: BSON) {
        self =
            switch value {
            case .null, .undefined: .null
            case .bool: .scalar(.bool)
            case .int32: .scalar(.int)
            case .int64(let number): .scalar(Int32(exactly: number) == nil ? .long : .int)
            case .double: .scalar(.double)
            case .decimal128: .scalar(.decimal128)
            case .string: .scalar(.string)
            case .datetime: .scalar(.date)
            case .objectID: .scalar(.objectID)
            case .binary(let binary) where binary.uuidText != nil: .scalar(.uuid)
            case .binary(let binary): binary.subtype == 0 ? .scalar(.data) : .other
            case .array: .array
            case .document: .object
            default: .other
            }
    }
}
