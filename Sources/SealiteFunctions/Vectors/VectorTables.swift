internal import SealiteJSON
package import SealiteVectors

/// The names of the tables of a vector index, and of their rows (Documentation/DocumentFormat.md §3.9).
package struct VectorTables: Sendable, Hashable {
    /// The beginning of the name of the table of chunks, which the index's number follows.
    package static let prefix = "vectors_"
    /// The beginnings of the names of the other tables.
    package static let otherPrefixes = [
        "vector_lists_", "vector_places_", "vector_changes_", "vector_generations_", "vector_values_",
    ]

    /// The number of the index.
    package let index: Int64

    package init(index: Int64) { self.index = index }

    package var chunks: String { "\(Self.prefix)\(index)" }
    package var lists: String { "vector_lists_\(index)" }
    package var places: String { "vector_places_\(index)" }
    package var changes: String { "vector_changes_\(index)" }
    package var generations: String { "vector_generations_\(index)" }
    package var values: String { "vector_values_\(index)" }

    /// The SQL for the newest generations, as many as an index has, as a table.
    package var newestGenerations: String {
        "(SELECT * FROM \(generations) ORDER BY generation DESC LIMIT \(Self.mostGenerations))"
    }

    /// The number of the first list of a generation; its lists follow.
    package static func firstList(of generation: Int64) -> Int64 { generation << 16 }

    /// The numbers that the chunks of a list can have.
    package static func chunks(of list: Int64) -> Range<Int64> { list << 24..<(list + 1) << 24 }

    /// The list of a chunk.
    package static func list(ofChunk chunk: Int64) -> Int64 { chunk >> 24 }

    /// The numbers that the chunks of a generation can have.
    package static func chunks(ofGeneration generation: Int64) -> Range<Int64> {
        chunks(of: firstList(of: generation)).lowerBound..<chunks(of: firstList(of: generation + 1)).lowerBound
    }

    /// The greatest number of a generation, so that the numbers of its chunks are integers of SQLite.
    package static let greatestGeneration: Int64 = 1 << 22

    /// The greatest number of generations that an index has at one time.
    package static let mostGenerations = 16

    /// The greatest size of all centroids of a generation in bytes. A search has them all in memory, if only one after the
    /// other.
    package static let greatestCentroidByteCount = 256 << 20

    /// The size of a generation's token in bytes.
    package static let tokenByteCount = 16
}

/// The tables of a vector index, the expression of the documents' vectors, and the form of its entries, with the SQL that
/// reads them.
package struct VectorPlan: Sendable, Hashable {
    package let tables: VectorTables
    /// The table of the collection's documents.
    package let documents: String
    /// An SQL expression over the columns `id` and `body` that gives the value with a document's vector.
    package let source: String
    package let dimensions: Int
    package let metric: VectorMetric
    package let encoding: VectorCoding
    /// A Boolean value that says whether the vectors are in the table of values, instead of in the documents.
    package let isLazy: Bool

    package init(
        tables: VectorTables, documents: String, source: String, dimensions: Int, metric: VectorMetric,
        encoding: VectorCoding, isLazy: Bool
    ) {
        (self.tables, self.documents, self.source) = (tables, documents, source)
        (self.dimensions, self.metric, self.encoding) = (dimensions, metric, encoding)
        self.isLazy = isLazy
    }

    /// The SQL for the vector of a document over the columns `id` and `body` of its row: a BLOB of float32, or NULL.
    package var vector: String { vector(in: "(\(source))") }

    /// Returns the SQL for the vector in a value, which SQL gives, as the index has it: a BLOB of float32, or NULL.
    package func vector(in value: String) -> String {
        "query_vector(\(value), \(dimensions)\(metric == .cosine ? ", TRUE" : ""))"
    }

    /// Returns the SQL for the vector that was stored for a document of a lazy index: a BLOB of float32, or NULL.
    package func storedVector(ofDocument number: String) -> String {
        "(SELECT v.vector FROM \(tables.values) AS v WHERE v.document = \(number))"
    }

    /// The SQL for the rows of live documents, or of values, with the columns `number` and `vector`, which may be NULL.
    /// `filter` returns the condition for the column with the number that it is given; only positive numbers may fulfil it.
    /// SQLite would begin a scan at the first of two lower bounds, so there is no other one.
    package func vectors(where filter: (String) -> String = { "\($0) > 0" }) -> String {
        isLazy
            ? """
            SELECT v.document AS number, v.vector FROM \(tables.values) AS v JOIN \(documents) AS d ON d.number = v.document
            WHERE \(filter("v.document"))
            """
            : "SELECT number, \(vector) AS vector FROM \(documents) WHERE \(filter("number"))"
    }

    /// The form of the entries, as the SQL table `query_nearest` takes it.
    var form: String {
        "\(metric.rawValue) \(encoding.rawValue) \(dimensions)\(isLazy ? " lazy" : "")"
    }

    /// Creates a plan from the arguments of the table `query_nearest`; nil for a form that this program doesn't know.
    init?(index: Int64, documents: String, source: String, form: String) {
        let words = form.split(separator: " ").map(String.init)
        guard words.count == 3 || words.count == 4 && words[3] == "lazy", let metric = VectorMetric(rawValue: words[0]),
            let encoding = VectorCoding(rawValue: words[1]), let dimensions = Int(words[2]),
            VectorReader.dimensions.contains(dimensions)
        else { return nil }
        self.init(
            tables: VectorTables(index: index), documents: documents, source: source, dimensions: dimensions,
            metric: metric, encoding: encoding, isLazy: words.count == 4)
    }

    /// Returns SQL for the table of the nearest documents.
    ///
    /// - Parameters:
    ///   - vector: SQL for the value with the vector that is searched for.
    ///   - count: SQL for the number of rows that are probably needed; the table goes on if more are read.
    ///   - probes: SQL for the number of lists to read at first; 0 reads all.
    /// - Returns: the call of a table with the columns `number` and `distance`, in the order of distances.
    package func nearest(to vector: String, count: String, probes: String) -> String {
        let literals = [documents, source, form].map { $0.quoted("'") }
        return "query_nearest(\(tables.index), \(literals.joined(separator: ", ")), \(vector), \(count), \(probes))"
    }
}
