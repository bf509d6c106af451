import SealiteDatabase
import SealiteTestSupport
import SealiteValues

@testable import SealiteMongo

/// A collection of documents with vectors, and the same vectors in memory, with a search that shares nothing with the index.
final class VectorCollection {
    let test: TestStore
    let collection: MongoCollection<MongoDocument>
    let dimensions = 6
    /// The vectors and groups of the documents, by their ids.
    private(set) var vectors: [Int: (vector: [Double], group: Int)] = [:]
    private var random: SeededRandom

    init(seed: UInt64 = 17) throws {
        test = try TestStore()
        collection = try test.collection("vectors")
        random = SeededRandom(seed: seed)
    }

    /// A vector near one of 12 points.
    func vector() -> [Double] {
        var place = SeededRandom(seed: UInt64(Int.random(in: 1...12, using: &random)))
        return (0..<dimensions).map { _ in
            Double.random(in: -1...1, using: &place) + Double.random(in: -0.2...0.2, using: &random)
        }
    }

    /// Inserts documents with random vectors at `e.v`, and a `group` from 0 to 9.
    func fill(_ count: Int) async throws {
        let first = vectors.count
        var documents: [MongoDocument] = []
        for id in first..<(first + count) {
            let vector = vector()
            vectors[id] = (vector, id % 10)
            documents.append(["_id": BSON(id), "group": BSON(id % 10), "e": ["v": Self.bson(vector)]])
        }
        try await collection.insertMany(documents)
    }

    static func bson(_ vector: [Double]) -> BSON { .array(vector.map { .double($0) }) }

    /// The definition of an index over `e.v`.
    func definition(_ similarity: String, _ quantization: String = "none") -> MongoDocument {
        [
            "type": "vectorSearch",
            "fields": [
                [
                    "type": "vector", "path": "e.v", "numDimensions": BSON(dimensions),
                    "similarity": .string(similarity), "quantization": .string(quantization),
                ],
                ["type": "filter", "path": "group"],
            ],
        ]
    }

    /// The specification of a search; members of `more` replace its own.
    func search(_ vector: [Double], limit: Int = 10, _ more: MongoDocument = [:]) -> MongoDocument {
        var members: MongoDocument = [
            "index": "default", "path": "e.v", "queryVector": Self.bson(vector), "limit": BSON(limit),
        ]
        for member in more { members[member.key] = member.value }
        return ["$vectorSearch": .document(members)]
    }

    /// The ids of the documents that a search finds, with their scores.
    func found(
        _ vector: [Double], limit: Int = 10, _ more: MongoDocument = ["exact": true]
    ) async throws -> [(id: Int, score: Double)] {
        let rows = try await collection.aggregate([
            search(vector, limit: limit, more), ["$project": ["score": ["$meta": "vectorSearchScore"]]],
        ]).toArray()
        return rows.map { (Int($0["_id"]?.exactInt64 ?? -1), BSONNumber($0["score"])?.double ?? -1) }
    }

    /// The nearest documents as a scan of the vectors in memory finds them, with MongoDB's scores.
    func nearest(
        _ vector: [Double], limit: Int = 10, _ similarity: String, where isTaken: (Int) -> Bool = { _ in true }
    ) -> [(id: Int, score: Double)] {
        let all = vectors.filter { isTaken($0.value.group) }.map {
            (id: $0.key, score: Self.score($0.value.vector, vector, similarity))
        }
        return Array(all.sorted { $0.score == $1.score ? $0.id < $1.id : $0.score > $1.score }.prefix(limit))
    }

    private static func score(_ left: [Double], _ right: [Double], _ similarity: String) -> Double {
        func dot(_ left: [Double], _ right: [Double]) -> Double { zip(left, right).reduce(0) { $0 + $1.0 * $1.1 } }
        switch similarity {
        case "cosine": return (1 + dot(left, right) / (dot(left, left) * dot(right, right)).squareRoot()) / 2
        case "dotProduct": return (1 + dot(left, right)) / 2
        default: return 1 / (1 + zip(left, right).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot())
        }
    }
}
