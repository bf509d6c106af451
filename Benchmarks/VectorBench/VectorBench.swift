import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteQuery

/// Measures one set of vectors in a sealed database: saves, the building of indexes, and searches.
struct VectorBench {
    let set: VectorSet
    let folder: String

    private static var key: SecretBytes { unsafe SecretBytes(copying: [UInt8](repeating: 7, count: 32).span.bytes) }

    /// Creates a database in place of another one.
    static func create(_ path: String) throws -> Database {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        return try Database.create(path, slot: .rawKey(key))
    }

    static func unlock(_ path: String) throws -> SealedDatabase { try SealedDatabase.open(path, key: .rawKey(key)) }

    static func open(_ path: String) throws -> Database { try Database(file: try unlock(path)) }

    /// The number of lists of an index over so many vectors.
    static func centroids(for count: Int) -> UInt32 { UInt32(max(Int(Double(count).squareRoot() * 1.27), 16)) }

    /// The path of the database.
    var path: String { "\(folder)/\(set.kind.rawValue).db" }

    func run() throws {
        show("\(set.kind.rawValue): \(set.count) vectors of \(VectorSet.dimensions) dimensions")
        try set.write(to: folder)
        let database = try Self.create(path)
        let collection = try database.defaultCollection()
        let texts = (0..<set.count).map { VectorSet.text(set.vector($0)) }
        let saved = try Self.seconds {
            try database.write { _ in
                for (number, text) in texts.enumerated() {
                    try collection.save(document: MutableDocument(id: "\(number)").setString(text, forKey: "v"))
                }
            }
        }
        say("save", saved, set.count)
        let centroids = Self.centroids(for: set.count)
        for (name, encoding, centroids) in [
            ("SQ8", VectorEncoding.scalarQuantizer(type: .SQ8), centroids), ("none", .none(), centroids),
        ] {
            try measure(name, encoding, centroids, database, collection)
        }
        try measureSaves(database, collection, centroids)
        try database.close()
    }

    private func measure(
        _ name: String, _ encoding: VectorEncoding, _ centroids: UInt32, _ database: Database, _ collection: Collection
    ) throws {
        var config = VectorIndexConfiguration(
            expression: "v", dimensions: UInt32(VectorSet.dimensions), centroids: centroids)
        config.encoding = encoding
        let built = try Self.seconds { try collection.createIndex(withName: "near", config: config) }
        var bytes: Int64 = 0
        try database.readRows("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'vector%'") { bytes = $0.int64(at: 0) }
        let size = Double(bytes) / 1e6
        show("\(name), \(centroids) lists: built in \(rounded(built)) s, \(rounded(size)) MB")
        for probes in [4, 8, 16, 32, 64, 0] where probes <= Int(centroids) {
            let options = probes == 0 ? ", NULL, NULL, TRUE" : ", NULL, \(probes)"
            let call = "APPROX_VECTOR_DISTANCE(v, $vector\(options))"
            let text: String = "SELECT META().id FROM _ ORDER BY \(call) LIMIT \(VectorSet.nearestCount)"
            let query = try database.createQuery(text)
            var found = 0
            func searchAll() throws {
                for (number, vector) in set.queries.enumerated() {
                    query.parameters = Parameters().setString(VectorSet.text(vector), forName: "vector")
                    let ids = try query.execute().compactMap { $0.string(forKey: "id").flatMap { Int($0) } }
                    found += Set(ids).intersection(set.nearest[number]).count
                }
            }
            try searchAll()
            found = 0
            let time = try Self.seconds(searchAll) / Double(set.queries.count)
            let recall = Double(found) / Double(set.queries.count * VectorSet.nearestCount)
            show(
                "  \(probes == 0 ? "all" : "\(probes)") lists: \(rounded(time * 1e3)) ms a search, cached; recall@10 \(rounded(recall))"
            )
        }
        try collection.deleteIndex(forName: "near")
    }

    /// Saves new documents, and documents with another vector, each in a transaction of its own, in a collection with a vector
    /// index and in one with the same documents and none, by turns.
    private func measureSaves(_ database: Database, _ indexed: Collection, _ centroids: UInt32) throws {
        let plain = try database.createCollection(name: "plain")
        try database.write { _ in
            for number in 0..<set.count {
                let document = MutableDocument(id: "\(number)")
                try plain.save(document: document.setString(VectorSet.text(set.vector(number)), forKey: "v"))
            }
        }
        try indexed.createIndex(
            withName: "near",
            config: VectorIndexConfiguration(
                expression: "v", dimensions: UInt32(VectorSet.dimensions), centroids: centroids))
        let (rounds, each) = (15, 400)
        for isNew in [true, false] {
            var ratios: [Double] = []
            for round in 0..<rounds {
                func save(_ collection: Collection) throws -> Double {
                    let documents = try (0..<each).map { place in
                        let number = (round * each + place) % set.count
                        let text = VectorSet.text(set.vector((number + 7) % set.count))
                        let document =
                            isNew
                            ? MutableDocument(id: "new \(number)")
                            : try collection.document(id: "\(number)")?.toMutable() ?? MutableDocument(id: "\(number)")
                        return document.setString(text, forKey: "v")
                    }
                    return try Self.seconds { for document in documents { try collection.save(document: document) } }
                }
                if round % 2 == 0 {
                    let time = try save(indexed)
                    ratios.append(time / (try save(plain)))
                } else {
                    let time = try save(plain)
                    ratios.append(try save(indexed) / time)
                }
            }
            show(
                "a save of \(isNew ? "a new document" : "another vector") with a vector index: "
                    + "\(rounded(ratios.sorted()[rounds / 2])) of one without")
        }
    }

    private func rounded(_ value: Double) -> String { String(format: "%.3f", value) }

    private func say(_ what: String, _ seconds: Double, _ count: Int) {
        show("\(what): \(rounded(seconds / Double(count) * 1e6)) µs each")
    }

    /// Returns the processor time that work takes.
    static func seconds(_ work: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let before = now()
        try work()
        return now() - before
    }
}

/// Prints a line at once.
func show(_ line: String) {
    print(line)
    fflush(nil)
}
