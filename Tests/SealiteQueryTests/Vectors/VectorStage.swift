import SealiteDatabase
import SealiteTestSupport

@testable import SealiteQuery

/// A database with documents that have vectors, and the same vectors in memory, with a search that shares nothing with the
/// index.
final class VectorStage {
    let test: TestDatabase
    let dimensions: Int
    /// The vectors of the documents, by their ids.
    var vectors: [String: [Double]] = [:]
    private var random: SeededRandom

    init(
        dimensions: Int = 8, seed: UInt64 = 48, _ configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        test = try TestDatabase(configuration)
        (self.dimensions, random) = (dimensions, SeededRandom(seed: seed))
    }

    var collection: Collection { get throws { try test.collection } }

    /// A vector near one of `clusters` random points, or anywhere for 0.
    func vector(clusters: Int = 12) -> [Double] {
        guard clusters > 0 else { return (0..<dimensions).map { _ in Double.random(in: -1...1, using: &random) } }
        var place = SeededRandom(seed: UInt64(Int.random(in: 1...clusters, using: &random)))
        return (0..<dimensions).map { _ in
            Double.random(in: -1...1, using: &place) + Double.random(in: -0.2...0.2, using: &random)
        }
    }

    /// Saves documents with random vectors, and a member `group` from 0 to 9, under ids that begin with `prefix`.
    func fill(_ count: Int, _ prefix: String = "d", clusters: Int = 12) throws {
        try test.database.write { _ in
            for number in 0..<count {
                try save("\(prefix)\(number)", vector(clusters: clusters), group: number % 10)
            }
        }
    }

    func save(_ id: String, _ vector: [Double], group: Int = 0) throws {
        let document = MutableDocument(id: id).setValue(
            .array(ArrayObject(vector.map { .number(Number($0)) })), forKey: "v"
        )
        .setInt(group, forKey: "group").setString("text of \(id)", forKey: "text")
        if let existing = try collection.document(id: id)?.toMutable() {
            existing.setValue(document.value(forKey: "v") ?? .null, forKey: "v").setInt(group, forKey: "group")
            try collection.save(document: existing)
        } else {
            try collection.save(document: document)
        }
        vectors[id] = vector
    }

    func delete(_ id: String) throws {
        guard let document = try collection.document(id: id) else { return }
        try collection.delete(document: document)
        vectors[id] = nil
    }

    /// Creates an index that is trained with few vectors.
    func index(
        _ name: String = "near", centroids: UInt32 = 8, _ metric: DistanceMetric = .euclideanSquared,
        _ encoding: VectorEncoding = .scalarQuantizer(type: .SQ8), probes: UInt32 = 0
    ) throws {
        var config = VectorIndexConfiguration(expression: "v", dimensions: UInt32(dimensions), centroids: centroids)
        (config.metric, config.encoding, config.numProbes) = (metric, encoding, probes)
        try collection.createIndex(withName: name, config: config)
    }

    static func distance(_ left: [Double], _ right: [Double], _ metric: DistanceMetric) -> Double {
        let pairs = zip(left, right)
        switch metric {
        case .euclideanSquared: return pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        case .euclidean: return distance(left, right, .euclideanSquared).squareRoot()
        case .dot: return -pairs.reduce(0) { $0 + $1.0 * $1.1 }
        case .cosine:
            let (a, b) = (-distance(left, left, .dot), -distance(right, right, .dot))
            return 1 + distance(left, right, .dot) / (a * b).squareRoot()
        }
    }

    /// The nearest documents as a scan of the vectors in memory finds them.
    func nearest(
        _ count: Int, to vector: [Double], _ metric: DistanceMetric, where isTaken: (String) -> Bool = { _ in true }
    )
        -> [(id: String, distance: Double)]
    {
        let all = vectors.filter { isTaken($0.key) }.map { ($0.key, Self.distance($0.value, vector, metric)) }
        return Array(all.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(count)).map { (id: $0.0, distance: $0.1) }
    }

    /// The nearest documents as a query finds them. `more` is more SQL++ after `FROM _`; `options` are further arguments.
    func found(_ count: Int, to vector: [Double], _ more: String = "", options: String = "") throws
        -> [(id: String, distance: Double)]
    {
        let call = "APPROX_VECTOR_DISTANCE(v, $vector\(options))"
        let text: String = "SELECT META().id, \(call) AS d FROM _ \(more) ORDER BY \(call) LIMIT \(count)"
        let query = try test.database.createQuery(text)
        query.parameters = Parameters().setValue(
            .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
        return try query.execute().map { (id: $0.string(forKey: "id") ?? "", distance: $0.double(forKey: "d")) }
    }

    /// The part of the true nearest documents that are among the found ones.
    static func recall(_ found: [(id: String, distance: Double)], _ exact: [(id: String, distance: Double)]) -> Double {
        exact.isEmpty ? 1 : Double(Set(found.map(\.id)).intersection(exact.map(\.id)).count) / Double(exact.count)
    }

    /// What a check of the whole file finds.
    func flaws() throws -> [String] {
        try Database.checkDocuments(in: try test.unlock()) { _ in }?.findings ?? ["the file isn't a document database"]
    }

    /// What the catalogue and the tables say of the only index.
    func state() throws -> (generations: Int64, entries: Int64, changes: Int64) {
        let number = try collection.indexRecords()[0].number
        func integer(_ sql: String) throws -> Int64 {
            var value: Int64 = 0
            try test.database.readRows(sql, isKept: false) { value = $0.int64(at: 0) }
            return value
        }
        return (
            try integer("SELECT count(*) FROM vector_generations_\(number)"),
            try integer("SELECT ifnull(sum(entries), 0) FROM vector_generations_\(number)"),
            try integer("SELECT count(*) FROM vector_changes_\(number)")
        )
    }
}
