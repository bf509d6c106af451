import ArgumentParser
import SealiteDatabase
import SealiteQuery

/// The options that define a vector index.
struct VectorIndexOptions: ParsableArguments {
    @Option(
        "expression",
        help: """
            An expression that has a document's vector: an array of numbers, or float32 in base64 or binary data; with --lazy, an \
            expression from whose value a program computes the vector.
            """)
    var vector: String?

    @Option("n", help: "The number of dimensions of each vector, 2 to 4096.")
    var dimensions: UInt32?

    @Option(
        "n",
        help: """
            The number of lists, each around a centroid, into which the vectors are divided, 1 to 64000. Default: the square root \
            of the number of documents in the collection, at least 16, at most 4096.
            """)
    var centroids: UInt32?

    @Option("metric", help: "How distances are computed. Default: euclidean-squared.")
    var metric: Metric?

    @Option(
        "encoding",
        help: "How the index stores vectors: with 8, 6 or 4 bits for each dimension, or whole. Default: sq8.")
    var encoding: Encoding?

    @Option("n", help: "The number of lists that a search reads at first. Default: a sixteenth of them, at least 16.")
    var probes: UInt32?

    @Option(
        "n",
        help: "The number of vectors from which on the index is trained. Default and minimum: 25 for each centroid.")
    var minTraining: UInt32?

    @Option(
        "n",
        help: "The maximum number of vectors with which it is trained. Default: 64 for each centroid, at most 40 MiB."
    )
    var maxTraining: UInt32?

    @Flag(name: .customLong("lazy"), help: "Let a program compute the vectors, with 'sealite index update'.")
    var isLazy = false

    /// The ways in which distances are computed, by their names in options and lists.
    enum Metric: String, CaseIterable, ExpressibleByArgument {
        case euclideanSquared = "euclidean-squared"
        case euclidean
        case cosine
        case dot

        var metric: DistanceMetric {
            switch self {
            case .euclideanSquared: .euclideanSquared
            case .euclidean: .euclidean
            case .cosine: .cosine
            case .dot: .dot
            }
        }
    }

    /// The ways in which an index stores vectors, by their names in options and lists.
    enum Encoding: String, CaseIterable, ExpressibleByArgument {
        case none
        case sq8
        case sq6
        case sq4

        var encoding: VectorEncoding {
            switch self {
            case .none: .none()
            case .sq8: .scalarQuantizer(type: .SQ8)
            case .sq6: .scalarQuantizer(type: .SQ6)
            case .sq4: .scalarQuantizer(type: .SQ4)
            }
        }
    }

    private var isGiven: Bool {
        [dimensions, centroids, probes, minTraining, maxTraining].contains { $0 != nil } || metric != nil
            || encoding != nil || isLazy
    }

    func validate() throws {
        guard vector != nil else {
            guard !isGiven else {
                throw ValidationError(
                    "--dimensions, --centroids, --metric, --encoding, --probes, --min-training, --max-training and --lazy need --vector."
                )
            }
            return
        }
        guard dimensions != nil else {
            throw ValidationError("--vector needs --dimensions, the number of dimensions of each vector.")
        }
        for (option, number) in [
            ("--probes", probes), ("--min-training", minTraining), ("--max-training", maxTraining),
        ] { try number.map { Int($0) }.requirePositive(option) }
    }

    /// Returns the definition of a vector index with these options for a collection of so many documents.
    func configuration(_ expression: String, documentCount: UInt64) -> VectorIndexConfiguration {
        var made = VectorIndexConfiguration(
            expression: expression, dimensions: dimensions ?? 0,
            centroids: centroids ?? Self.usualCentroids(documentCount))
        made.isLazy = isLazy
        if let metric { made.metric = metric.metric }
        if let encoding { made.encoding = encoding.encoding }
        made.numProbes = probes ?? 0
        made.minTrainingSize = minTraining ?? 0
        made.maxTrainingSize = maxTraining ?? 0
        return made
    }

    private static func usualCentroids(_ documentCount: UInt64) -> UInt32 {
        UInt32(min(max(Double(documentCount).squareRoot().rounded(), 16), 4096))
    }

    // MARK: - Listing

    /// Returns the definition of a vector index, each setting as a part of a line for people.
    static func description(of index: VectorIndexConfiguration) -> [String] {
        let names = names(index)
        return [
            "vectors of \(index.dimensions) dimensions", counted(index.centroids, "centroid"), names.metric,
            names.encoding, counted(index.numProbes, "probe"),
        ] + (index.isLazy ? ["lazy"] : [])
    }

    /// Returns how far a vector index is, as parts of a line for people.
    static func description(of state: VectorIndexState) -> [String] {
        ["\(counted(state.listed, "vector")) in lists"] + (state.waiting > 0 ? ["\(state.waiting) not yet"] : [])
            + (state.lacking.map { $0 > 0 ? ["\(counted(Int64($0), "document")) to update"] : [] } ?? [])
    }

    /// Returns the definition of a vector index, and how far it is, as JSON.
    static func json(_ index: VectorIndexConfiguration, _ state: VectorIndexState?) -> JSONValue {
        let names = names(index)
        return [
            "dimensions": index.dimensions, "centroids": index.centroids, "metric": names.metric,
            "encoding": names.encoding, "probes": index.numProbes, "minTraining": index.minTrainingSize,
            "maxTraining": index.maxTrainingSize, "lazy": index.isLazy, "listed": state?.listed,
            "waiting": state?.waiting, "toUpdate": state?.lacking,
        ]
    }

    private static func names(_ index: VectorIndexConfiguration) -> (metric: String, encoding: String) {
        (
            Metric.allCases.first { $0.metric == index.metric }?.rawValue ?? "",
            Encoding.allCases.first { $0.encoding == index.encoding }?.rawValue ?? ""
        )
    }
}
