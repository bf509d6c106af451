import SealiteDatabase
import SealiteTestSupport

@testable import SealiteQuery

/// Random changes of documents with vectors, and searches of all lists that are compared with a scan of the documents. Coordinates are
/// multiples of a quarter, so that distances have no error of rounding.
struct ScannedVectors {
    static let dimensions = 6

    let database: Database
    private var random: SeededRandom

    init(_ database: Database, seed: UInt64) { (self.database, random) = (database, SeededRandom(seed: seed)) }

    private var collection: Collection { get throws { try database.defaultCollection() } }

    func makeIndex(lists: UInt32 = 4) throws {
        var config = VectorIndexConfiguration(
            expression: "v", dimensions: UInt32(Self.dimensions), centroids: lists)
        (config.encoding, config.numProbes) = (.none(), 1)
        try collection.createIndex(withName: "near", config: config)
    }

    private mutating func vector() -> [Double] {
        (0..<Self.dimensions).map { _ in Double(random.below(33) - 16) / 4 }
    }

    /// Saves documents in one transaction.
    mutating func fill(_ ids: Range<Int>) throws {
        try database.write { _ in for id in ids { try save("d\(id)") } }
    }

    private mutating func save(_ id: String) throws {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        let vector = vector().map { Value.number(Number($0)) }
        try collection.save(document: document.setValue(.array(ArrayObject(vector)), forKey: "v"))
    }

    /// Changes a document, or searches, by which documents are entered into lists.
    mutating func step(of count: Int) throws {
        let id = "d\(random.below(count))"
        switch random.below(12) {
        case 0: if try collection.document(id: id) != nil { try collection.delete(id: id) }
        case 1: if try collection.document(id: id) != nil { try collection.purge(id: id) }
        case 2: _ = try found(vector())
        default: try save(id)
        }
    }

    private func found(_ vector: [Double]) throws -> [(id: String, distance: Double)] {
        let call = "APPROX_VECTOR_DISTANCE(v, $vector, NULL, NULL, TRUE)"
        let query = try database.createQuery(
            "SELECT META().id, \(call) FROM _ ORDER BY \(call) LIMIT 20" as String)
        query.parameters = Parameters().setValue(
            .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
        return try query.execute().map { ($0.string(at: 0) ?? "", $0.double(at: 1)) }
    }

    /// The documents' squared distances from a vector.
    private func scan(_ vector: [Double]) throws -> [String: Double] {
        var distances: [String: Double] = [:]
        for row in try database.createQuery("SELECT META().id, v FROM _" as String).execute() {
            guard let id = row.string(at: 0), let other = row.array(at: 1) else { continue }
            var sum = 0.0
            for index in 0..<Self.dimensions {
                let difference = other[index].double - vector[index]
                sum += difference * difference
            }
            distances[id] = sum
        }
        return distances
    }

    /// Compares a search with a scan of the same state; returns what is wrong, nil if nothing is.
    mutating func flaw() throws -> String? {
        let vector = vector()
        return try database.read {
            let (found, all) = (try found(vector), try scan(vector))
            for row in found where all[row.id] != row.distance { return "the distance of \(row.id) is wrong" }
            guard found.map(\.distance) == Array(all.values.sorted().prefix(20)) else {
                return "not the nearest of \(all.count) documents: \(found)"
            }
            return nil
        }
    }

    /// Opens a file, and returns the findings of ``findings()``.
    static func findings(of file: TestFile, seed: UInt64) throws -> [String] {
        var findings: [String] = []
        try file.withDatabase { database in
            var vectors = ScannedVectors(database, seed: seed)
            findings = try vectors.findings()
        }
        return findings
    }

    /// Compares searches with scans and all entries with the documents, before and after all documents are entered.
    mutating func findings() throws -> [String] {
        var findings = try database.integrityFindings()
        guard try collection.indexes().contains("near") else { return findings }
        if let flaw = try flaw() { findings.append(flaw) }
        try collection.completeVectorIndex("near")
        findings += try database.integrityFindings()
        if let flaw = try flaw() { findings.append("after the upkeep, \(flaw)") }
        let state = try collection.vectorIndexState("near")
        if let state, state.listed > 0, state.waiting > 0 { findings.append("\(state) after the upkeep") }
        return findings
    }
}
