internal import FoundationEssentials
package import SealiteFunctions
package import SealiteVectors

/// The definition of an index of the kind `vector`: the vectors of documents, and how they are stored and trained
/// (Documentation/DocumentFormat.md §3.9).
package struct VectorDefinition: IndexDefinition, Codable, Equatable {
    /// The numbers of lists that an index can have.
    package static let centroidCounts = 1...64_000
    /// The number of vectors for each list with which an index is trained at least, and at most unless it is given.
    package static let vectorsPerList = (least: 25, most: 64)
    /// The greatest size of the vectors of a training in bytes.
    package static let greatestSampleByteCount = 40 << 20

    /// An SQL expression over `id` and `body` that yields a query value.
    package let sql: String
    /// The number of dimensions of each vector.
    package let dimensions: Int
    /// The number of lists.
    package let centroids: Int
    package let metric: VectorMetric
    package let encoding: VectorCoding
    /// The number of vectors from which on the index is trained.
    package let leastTraining: Int
    /// The greatest number of vectors with which it is trained, of which a sample is taken.
    package let mostTraining: Int
    /// The number of lists that a search reads at first.
    package let probes: Int
    /// A Boolean value that says whether an application computes the vectors of documents, instead of storing them in the
    /// documents.
    package let lazy: Bool
    /// The source text of the definition, for the caller that created the index; this module doesn't interpret it.
    package let source: String?

    /// Creates a definition. Numbers that are nil have the values of VectorSearch.md.
    ///
    /// - Throws: `invalidParameter` for a number that an index can't have.
    package init(
        sql: String, dimensions: Int, centroids: Int, metric: VectorMetric, encoding: VectorCoding,
        leastTraining: Int? = nil, mostTraining: Int? = nil, probes: Int? = nil, isLazy: Bool = false,
        source: String? = nil
    ) throws {
        (self.sql, self.dimensions, self.centroids) = (sql, dimensions, centroids)
        (self.metric, self.encoding, lazy, self.source) = (metric, encoding, isLazy, source)
        let least = max(Self.vectorsPerList.least.multipliedReportingOverflow(by: centroids).partialValue, 1)
        self.leastTraining = max(leastTraining ?? 0, least)
        let sample = Self.greatestSampleByteCount / max(4 * dimensions, 1)
        let most = mostTraining ?? min(max(Self.vectorsPerList.most * centroids, least), max(sample, least))
        self.mostTraining = most
        self.probes = probes ?? Self.usualProbes(centroids)
        if let problem { throw DatabaseError(.invalidParameter, problem) }
    }

    /// The number of lists that a search reads if the definition has none.
    private static func usualProbes(_ centroids: Int) -> Int { min(max(16, centroids / 16), centroids) }

    /// The reason why the definition isn't one of an index; nil if it is.
    private var problem: String? {
        guard VectorReader.dimensions.contains(dimensions) else {
            return "a vector index has 2 to 4096 dimensions, not \(dimensions)"
        }
        guard Self.centroidCounts.contains(centroids) else {
            return "a vector index has 1 to 64000 centroids, not \(centroids)"
        }
        let bytes = centroids * dimensions * 4
        guard bytes <= VectorTables.greatestCentroidByteCount else {
            return
                "\(centroids) centroids of \(dimensions) dimensions would take \(bytes >> 20) MiB of memory, more than the "
                + "\(VectorTables.greatestCentroidByteCount >> 20) MiB that are allowed"
        }
        guard leastTraining <= mostTraining else {
            return
                "an index that is trained with at least \(leastTraining) vectors can't have a maximum of \(mostTraining)"
        }
        guard mostTraining * dimensions * 4 <= 1 << 30 else {
            return "a training with \(mostTraining) vectors of \(dimensions) dimensions would take "
                + "\(mostTraining * dimensions * 4 >> 20) MiB of memory, more than the 1024 MiB that are allowed"
        }
        guard (1...centroids).contains(probes) else {
            return "a search reads 1 to \(centroids) lists, the number of centroids, not \(probes)"
        }
        return nil
    }

    package var kind: IndexKind { .vector }
    package var form: IndexForm { .vector(self) }
    package var ownComponents: Set<IndexComponent> { [.vectors] }

    /// Returns what a search needs to know of an index with this definition.
    package func plan(index: Int64, collection: Int) -> VectorPlan {
        VectorPlan(
            tables: VectorTables(index: index), documents: "documents_\(collection)", source: sql,
            dimensions: dimensions,
            metric: metric, encoding: encoding, isLazy: lazy)
    }

    // MARK: - The stored form

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case sql, dimensions, centroids, metric, encoding, leastTraining, mostTraining, probes, lazy, source
    }

    /// Creates a definition from the JSON text by which the catalogue of indexes stores it.
    ///
    /// - Throws: an error for a definition that this program doesn't know.
    package init(stored: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(stored.utf8))
        let names = try JSONDecoder().decode([String: Anything].self, from: Data(stored.utf8)).keys
        // With fewer vectors a training would take longer than reading them, in which searches do it.
        guard names.allSatisfy({ CodingKeys(rawValue: $0) != nil }), leastTraining > 0,
            (1...1 << 40).contains(mostTraining), problem == nil,
            leastTraining >= Self.vectorsPerList.least * centroids,
            SQLExpressions.areAllowed([sql], over: ["id", "body"])
        else {
            throw DatabaseError(
                .corruptData, "the stored definition of a vector index has a form that this program doesn't know")
        }
    }

    private struct Anything: Decodable { init(from decoder: any Decoder) throws {} }
}

extension VectorMetric: Codable {}
extension VectorCoding: Codable {}
