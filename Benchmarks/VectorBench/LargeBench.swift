import Foundation
import SealiteDatabase
import SealiteQuery

/// Makes an index over very many small vectors, compares its searches with a scan of the vectors in memory before and after changes,
/// and checks the whole file (`scripts/soak.d/48-vectors.sh`).
struct LargeBench {
    private static let dimensions = 64
    private static let queryCount = 50
    /// The least recall@10 of searches of the usual number of lists, and of searches of all.
    private static let leastRecall = (usual: 0.9, all: 0.9999)

    private let database: Database
    private let collection: Collection
    private let path: String
    private var floats: [Float]
    private var ids: [Int]
    private var random = Normal(seed: 64)
    private let centers: [Float]

    init(count: Int, folder: String) throws {
        path = "\(folder)/large.db"
        database = try VectorBench.create(path)
        collection = try database.defaultCollection()
        var centers: [Float] = []
        for _ in 0..<(2_000 * Self.dimensions) { centers.append(random.next()) }
        self.centers = centers
        (floats, ids) = ([], Array(0..<count))
        floats.reserveCapacity(count * Self.dimensions)
        for _ in 0..<count { floats += vector() }
    }

    private mutating func vector() -> [Float] {
        let center = random.index(below: centers.count / Self.dimensions) * Self.dimensions
        return (0..<Self.dimensions).map { centers[center + $0] + 0.7 * random.next() }
    }

    private func vector(at place: Int) -> ArraySlice<Float> {
        floats[(place * Self.dimensions)..<((place + 1) * Self.dimensions)]
    }

    /// Returns whether all that was found is right.
    mutating func run() throws -> Bool {
        let seconds = try VectorBench.seconds {
            for start in stride(from: 0, to: ids.count, by: 10_000) {
                try database.write { _ in
                    for place in start..<min(start + 10_000, ids.count) { try save(place) }
                }
            }
        }
        show("large: saved \(ids.count) vectors of \(Self.dimensions) dimensions in \(Int(seconds)) s")
        let centroids = VectorBench.centroids(for: ids.count)
        let built = try VectorBench.seconds {
            try collection.createIndex(
                withName: "near",
                config: VectorIndexConfiguration(
                    expression: "v", dimensions: UInt32(Self.dimensions), centroids: centroids))
        }
        show("  \(centroids) lists: built in \(Int(built)) s")
        var isRight = try searchAll("after the building")
        try change()
        isRight = try searchAll("after changes") && isRight
        let checked = try VectorBench.seconds { isRight = try check() && isRight }
        show("  checked in \(Int(checked)) s")
        try database.close()
        return isRight
    }

    private func save(_ place: Int) throws {
        let id = "\(ids[place])"
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        try collection.save(document: document.setString(VectorSet.text(vector(at: place)), forKey: "v"))
    }

    /// Deletes a document in a hundred, and gives another vector to one in fifty.
    private mutating func change() throws {
        for _ in 0..<(ids.count / 50) {
            let place = random.index(below: ids.count)
            floats.replaceSubrange((place * Self.dimensions)..<((place + 1) * Self.dimensions), with: vector())
            try save(place)
        }
        for _ in 0..<(ids.count / 100) {
            let place = random.index(below: ids.count)
            try collection.delete(id: "\(ids[place])")
            // The last one takes its place.
            let last = Array(vector(at: ids.count - 1))
            floats.replaceSubrange((place * Self.dimensions)..<((place + 1) * Self.dimensions), with: last)
            floats.removeLast(Self.dimensions)
            ids[place] = ids[ids.count - 1]
            ids.removeLast()
        }
    }

    private mutating func searchAll(_ when: String) throws -> Bool {
        let queries = (0..<Self.queryCount).map { _ in vector() }
        let nearest = queries.map { query in
            Set(VectorSet.nearest(to: query, in: floats, dimensions: Self.dimensions).map { ids[$0] })
        }
        var isRight = true
        for (name, options, least) in [
            ("the usual", "", Self.leastRecall.usual), ("all", ", NULL, NULL, TRUE", Self.leastRecall.all),
        ] {
            let text: String =
                "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $vector\(options)) LIMIT 10"
            let query = try database.createQuery(text)
            var found = 0
            let time = try VectorBench.seconds {
                for (number, vector) in queries.enumerated() {
                    query.parameters = Parameters().setString(VectorSet.text(vector), forName: "vector")
                    let rows = try query.execute().compactMap { $0.string(forKey: "id").flatMap { Int($0) } }
                    found += Set(rows).intersection(nearest[number]).count
                }
            }
            let recall = Double(found) / Double(queries.count * VectorSet.nearestCount)
            show(
                "  \(when), \(name) lists: \(String(format: "%.2f", time * 1e3 / Double(queries.count))) ms a search, "
                    + "recall@10 \(String(format: "%.4f", recall))")
            isRight = isRight && recall >= least
        }
        return isRight
    }

    /// Compares each entry of the index with the documents, and the index with a whole one.
    private func check() throws -> Bool {
        try collection.completeVectorIndex("near")
        let state = try collection.vectorIndexState("near")
        let findings = try Database.checkDocuments(in: try VectorBench.unlock(path)) { _ in }?.findings
        for finding in findings ?? [] { show("  \(finding)") }
        return findings == [] && state?.listed == ids.count && state?.waiting == 0
    }
}
