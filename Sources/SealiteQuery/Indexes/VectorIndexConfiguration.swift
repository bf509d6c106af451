internal import SealiteDatabase
internal import SealiteVectors

/// How a vector index stores vectors. The nearest candidates are compared by their exact vectors in any case.
public struct VectorEncoding: Sendable, Equatable {
    /// The bits that a scalar quantizer has for each dimension.
    public enum ScalarQuantizerType: Sendable, Equatable, CaseIterable {
        case SQ4, SQ6, SQ8
    }

    let coding: VectorCoding

    /// Stores four bytes for each dimension.
    public static func none() -> VectorEncoding { VectorEncoding(coding: .none) }

    /// Stores 4, 6 or 8 bits for each dimension.
    public static func scalarQuantizer(type: ScalarQuantizerType) -> VectorEncoding {
        switch type {
        case .SQ4: VectorEncoding(coding: .sq4)
        case .SQ6: VectorEncoding(coding: .sq6)
        case .SQ8: VectorEncoding(coding: .sq8)
        }
    }
}

/// The definition of an index of vectors, for APPROX\_VECTOR\_DISTANCE (Documentation/VectorSearch.md).
///
/// ```swift
/// var config = VectorIndexConfiguration(expression: "embedding", dimensions: 384, centroids: 64)
/// config.metric = .cosine
/// try notes.createIndex(withName: "nearest", config: config)
/// ```
public struct VectorIndexConfiguration: IndexConfiguration, Equatable {
    /// An expression over a document, in SQL++, that has a vector: an array of numbers, or as many float32, little-endian,
    /// in a string with their base64 or in binary data. Documents with another value aren't in the index. For a lazy index
    /// it is the value from which an application computes the vector.
    public let expression: String
    /// The number of dimensions of each vector, 2 to 4,096.
    public let dimensions: UInt32
    /// The number of lists, each around a centroid, into which the vectors are divided, 1 to 64,000. The square root of the
    /// number of documents is a good choice.
    public let centroids: UInt32
    /// A Boolean value that says whether an application computes the vectors, with `QueryIndex.beginUpdate(limit:)`.
    public var isLazy = false
    /// How vectors are stored.
    public var encoding = VectorEncoding.scalarQuantizer(type: .SQ8)
    /// How distances are computed.
    public var metric = DistanceMetric.euclideanSquared
    /// The number of vectors from which on the index is trained; until then searches compare with all documents. It is
    /// raised to 25 for each centroid. 0: as few as that.
    public var minTrainingSize: UInt32 = 0
    /// The greatest number of vectors with which the index is trained; 0: 64 for each centroid, and at most 40 MiB.
    public var maxTrainingSize: UInt32 = 0
    /// The number of lists that a search reads at first, 1 to `centroids`; 0: a sixteenth of them, at least 16.
    public var numProbes: UInt32 = 0

    /// Creates a definition of a vector index.
    public init(expression: String, dimensions: UInt32, centroids: UInt32) {
        (self.expression, self.dimensions, self.centroids) = (expression, dimensions, centroids)
    }
}

extension VectorIndexConfiguration {
    /// Creates a configuration that defines the same index as a stored definition.
    init(_ expression: String, _ definition: VectorDefinition) {
        self.init(
            expression: expression, dimensions: UInt32(definition.dimensions), centroids: UInt32(definition.centroids))
        isLazy = definition.lazy
        encoding = VectorEncoding(coding: definition.encoding)
        metric = DistanceMetric(definition.metric)
        minTrainingSize = UInt32(clamping: definition.leastTraining)
        maxTrainingSize = UInt32(clamping: definition.mostTraining)
        numProbes = UInt32(definition.probes)
    }
}
