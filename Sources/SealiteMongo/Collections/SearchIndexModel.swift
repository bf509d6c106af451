internal import SealiteDatabase
internal import SealiteValues
internal import SealiteVectors

/// A vector index as MongoDB defines it: what a field of the type `vector` in the definition of a search index says.
struct SearchIndexModel: Equatable {
    /// The functions by which vectors are compared, with MongoDB's names.
    enum Similarity: String, CaseIterable {
        case euclidean, cosine, dotProduct
    }

    /// The forms in which an index stores vectors, with MongoDB's names.
    enum Quantization: String {
        case none, scalar
    }

    /// The least and the greatest number of lists of an index that is created.
    private static let centroidCounts = 16...4_096
    /// The greatest size in bytes of the vectors with which an index is trained at least.
    private static let greatestTrainingByteCount = 1 << 30

    let path: VectorPath
    let dimensions: Int
    let similarity: Similarity
    let quantization: Quantization

    /// Creates the index that a definition of a search index describes.
    ///
    /// - Throws: `MongoError` 67 unless the definition has exactly one field of the type `vector` that an index can have.
    init(_ definition: MongoDocument) throws {
        for key in definition.keys where !["type", "fields"].contains(key) {
            throw Self.refusal("has no member '\(key)'")
        }
        try require(
            definition["type"] == nil || definition["type"] == "vectorSearch",
            Self.refusal("has the type 'vectorSearch'; create full-text indexes through Collection.createIndex"))
        let fields = try require(definition["fields"]?.items, Self.refusal("has an array 'fields'"))
        var vectors: [MongoDocument] = []
        for field in fields {
            let field = try require(field.members, Self.refusal("has objects in 'fields'"))
            switch field["type"] {
            case "vector": vectors.append(field)
            // Every filter can be used, whatever an index says.
            case "filter": break
            default: throw Self.refusal("has fields of the types 'vector' and 'filter'")
            }
        }
        guard let field = vectors.first, vectors.count == 1 else {
            throw Self.refusal("has one field of the type 'vector'; create an index for each path")
        }
        try self.init(vectorField: field)
    }

    private init(vectorField field: MongoDocument) throws {
        for key in field.keys where !["type", "path", "numDimensions", "similarity", "quantization"].contains(key) {
            throw Self.refusal("has no member '\(key)' in a field of the type 'vector'")
        }
        path = VectorPath(
            names: try FieldPath(try require(field["path"]?.text, Self.refusal("has a string as 'path'"))).names)
        try require(
            path.names.count <= VectorPath.maximumCount && path.names.first != "_id",
            Self.refusal("has a 'path' of at most \(VectorPath.maximumCount) names, which isn't that of the '_id'"))
        let count = field["numDimensions"]?.exactInt64.map { Int(clamping: $0) } ?? 0
        try require(
            VectorReader.dimensions.contains(count),
            Self.refusal(
                "has an integer from \(VectorReader.dimensions.lowerBound) to \(VectorReader.dimensions.upperBound) as 'numDimensions'"
            ))
        dimensions = count
        similarity = try require(
            field["similarity"]?.text.flatMap { Similarity(rawValue: $0) },
            Self.refusal("has 'euclidean', 'cosine' or 'dotProduct' as 'similarity'"))
        try require(
            field["quantization"] != "binary",
            Self.refusal(
                "can't have the quantization 'binary', since one bit of a dimension doesn't find the nearest vectors reliably; use 'scalar'"
            ))
        quantization = try require(
            field["quantization"].map { $0.text.flatMap { Quantization(rawValue: $0) } } ?? Quantization.none,
            Self.refusal("has 'none' or 'scalar' as 'quantization'"))
    }

    private static func refusal(_ rule: String) -> MongoError {
        MongoError(code: 67, "The definition of a search index \(rule).")
    }

    // MARK: - As the catalogue has it

    /// Creates the model of an existing index; nil if it is over another expression than a path, or if an application
    /// computes its vectors.
    init?(_ definition: VectorDefinition) {
        guard let path = VectorPath(sql: definition.sql), !definition.lazy else { return nil }
        (self.path, dimensions) = (path, definition.dimensions)
        similarity =
            switch definition.metric {
            case .euclidean, .euclideanSquared: .euclidean
            case .cosine: .cosine
            case .dot: .dotProduct
            }
        quantization = definition.encoding == .none ? .none : .scalar
    }

    /// Returns the definition for the database's catalogue of indexes, with lists for a number of documents.
    func stored(documentCount: UInt64) throws -> VectorDefinition {
        let lists = Int(Double(documentCount).squareRoot())
        let most = Self.greatestTrainingByteCount / (VectorDefinition.vectorsPerList.least * dimensions * 4)
        let centroids = min(max(lists, Self.centroidCounts.lowerBound), Self.centroidCounts.upperBound, most)
        let metric: VectorMetric =
            switch similarity {
            case .euclidean: .euclidean
            case .cosine: .cosine
            case .dotProduct: .dot
            }
        return try VectorDefinition(
            sql: path.sql, dimensions: dimensions, centroids: centroids, metric: metric,
            encoding: quantization == .none ? .none : .sq8, source: try path.source.stored)
    }

    /// The definition in MongoDB's form.
    var document: MongoDocument {
        let field: MongoDocument = [
            "type": "vector", "path": .string(path.text), "numDimensions": BSON(dimensions),
            "similarity": .string(similarity.rawValue), "quantization": .string(quantization.rawValue),
        ]
        return ["fields": .array([.document(field)])]
    }
}
