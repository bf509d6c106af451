internal import SealiteValues

/// The definition of a property's vector index, by which `ObjectQuery.nearest(to:by:limit:)` finds objects
/// (Documentation/VectorSearch.md).
///
/// ```swift
/// static let declaration = ModelDeclaration(
///     .property("embedding", vectorIndex: PropertyVectorIndex(dimensions: 384, metric: .cosine)))
/// ```
public struct PropertyVectorIndex: Sendable, Hashable {
    /// How the distance of two vectors is computed.
    public enum Metric: String, Sendable, CaseIterable {
        /// The square of the length of the difference.
        case euclideanSquared
        /// The length of the difference.
        case euclidean
        /// 1 minus the cosine of the angle. Vectors of zeros have none.
        case cosine
        /// The negative sum of products.
        case dot
    }

    /// The number of dimensions of each vector, 2 to 4,096. Objects with another number of items aren't found.
    public var dimensions: Int
    /// The number of lists into which the vectors are divided, 1 to 64,000. The square root of the number of objects is a
    /// good choice; until there are 25 vectors for each list, searches compare all objects.
    public var centroids: Int
    /// How the distance is computed.
    public var metric: Metric

    /// Creates a definition.
    public init(dimensions: Int, centroids: Int = 64, metric: Metric = .euclideanSquared) {
        (self.dimensions, self.centroids, self.metric) = (dimensions, centroids, metric)
    }

    /// A Boolean value that says whether an index can have the numbers of dimensions and of lists.
    var isValid: Bool { (2...4096).contains(dimensions) && (1...64_000).contains(centroids) }

    // MARK: - In schemas

    /// The definition as the member `vectorIndex` of the member `sealite` of a property's schema.
    var document: MongoDocument {
        [
            "dimensions": .int32(Int32(clamping: dimensions)), "centroids": .int32(Int32(clamping: centroids)),
            "metric": .string(metric.rawValue),
        ]
    }

    /// Reads a definition from a schema; nil if it is invalid.
    init?(_ document: MongoDocument) {
        guard let dimensions = Self.integer(document["dimensions"]),
            let centroids = Self.integer(document["centroids"]),
            case .string(let name)? = document["metric"], let metric = Metric(rawValue: name)
        else { return nil }
        self.init(dimensions: dimensions, centroids: centroids, metric: metric)
        guard isValid else { return nil }
    }

    private static func integer(_ value: BSON?) -> Int? {
        switch value {
        case .int32(let number)?: Int(number)
        case .int64(let number)?: Int(exactly: number)
        default: nil
        }
    }
}
