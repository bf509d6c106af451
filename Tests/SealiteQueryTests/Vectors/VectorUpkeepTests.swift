import Foundation
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("the lists of vector indexes")
struct VectorUpkeepTests {
    private struct Stop: Error {}

    @Test(
        "work that is stopped in the training or after any step goes on later, and searches are exact meanwhile",
        arguments: 0...5)
    func interruption(steps: Int) throws {
        let stage = try VectorStage()
        try stage.fill(1_000)
        var config = VectorIndexConfiguration(expression: "v", dimensions: 8, centroids: 8)
        config.minTrainingSize = 300
        try stage.test.database.write { _ in try stage.collection.createIndex(withName: "near", config: config) }
        // Before the first step of 200 documents nothing is reported as done.
        #expect(throws: Stop.self) {
            try stage.collection.completeVectorIndex("near") { if $0.documentCount >= 200 * steps { throw Stop() } }
        }
        #expect(try stage.state().entries == Int64(200 * steps))
        let vector = stage.vector()
        let found = try stage.test.database.read { try stage.found(10, to: vector, options: ", NULL, NULL, TRUE") }
        #expect(found.map(\.id) == stage.nearest(10, to: vector, .euclideanSquared).map(\.id))
        #expect(try stage.flaws().isEmpty)
        try stage.save("d5", stage.vector())
        try stage.delete("d6")
        try stage.collection.completeVectorIndex("near")
        #expect(try stage.state() == (1, 999, 0))
        #expect(try stage.flaws().isEmpty)
    }

    @Test("an index is trained anew once it has four times as many vectors, and the earlier lists go")
    func retraining() throws {
        let stage = try VectorStage()
        try stage.fill(250)
        try stage.index()
        let first = try token(stage)
        try stage.fill(700, "more")
        _ = try stage.found(5, to: stage.vector())
        #expect(try token(stage) == first)
        try stage.fill(300, "again")
        for _ in 0..<2 { _ = try stage.found(5, to: stage.vector()) }
        #expect(try token(stage) != first)
        #expect(try stage.state() == (1, 1_250, 0))
        #expect(try stage.flaws().isEmpty)
        let vector = stage.vector()
        let found = try stage.found(10, to: vector, options: ", NULL, NULL, TRUE")
        #expect(found.map(\.id) == stage.nearest(10, to: vector, .euclideanSquared).map(\.id))
    }

    private func token(_ stage: VectorStage) throws -> [UInt8]? {
        let number = try stage.collection.indexRecords()[0].number
        var token: [UInt8]?
        try stage.test.database.readRows(
            "SELECT token FROM vector_generations_\(number) ORDER BY generation DESC LIMIT 1", isKept: false
        ) { token = $0.bytes(at: 0) }
        return token
    }

    @Test("two connections that train, enter and change at once leave one index that agrees with the documents")
    func concurrency() throws {
        let stage = try VectorStage()
        try stage.fill(600)
        var config = VectorIndexConfiguration(expression: "v", dimensions: 8, centroids: 8)
        config.minTrainingSize = 500
        try stage.test.database.write { _ in try stage.collection.createIndex(withName: "near", config: config) }
        let other = try TestFile.open(stage.test.path)
        let threads = DispatchGroup()
        for _ in 0..<2 {
            DispatchQueue.global().async(group: threads) {
                #expect(throws: Never.self) { try other.defaultCollection().completeVectorIndex("near") }
            }
        }
        for number in 0..<150 { try stage.save("d\(number)", stage.vector()) }
        try stage.collection.completeVectorIndex("near")
        threads.wait()
        try stage.collection.completeVectorIndex("near")
        #expect(try stage.state() == (1, 600, 0))
        #expect(try stage.flaws().isEmpty)
        try other.close()
    }

    @Test("entries that leave the last chunk of a list empty, and others that come to it at once, share a transaction")
    func emptiedChunk() throws {
        let stage = try VectorStage()
        try stage.fill(40)
        try stage.index(centroids: 1, .euclideanSquared, .none())
        // All documents are in the only chunk; each round empties it and fills it again.
        for round in 0..<3 {
            try stage.test.database.write { _ in
                for number in 0..<40 { try stage.save("d\(number)", stage.vector()) }
                if round > 0 { for number in 0..<10 { try stage.delete("d\(number)") } }
            }
            try stage.collection.completeVectorIndex("near")
            #expect(try stage.flaws().isEmpty)
            #expect(try stage.state() == (1, round == 0 ? 40 : 30, 0))
        }
    }

    @Test("changes by plain SQL are found as they are")
    func foreignChanges() throws {
        let stage = try VectorStage()
        try stage.fill(400)
        try stage.index()
        let connection = try stage.test.unlock().connect()
        try connection.execute(
            "UPDATE documents_1 SET body = (SELECT body FROM documents_1 WHERE id = 'd1') WHERE id = 'd2'; DELETE FROM documents_1 WHERE id = 'd3'"
        )
        stage.vectors["d2"] = stage.vectors["d1"]
        stage.vectors["d3"] = nil
        #expect(try stage.state().changes == 2)
        let vector = try #require(stage.vectors["d1"])
        #expect(Set(try stage.found(2, to: vector).map(\.id)) == ["d1", "d2"])
        #expect(try stage.flaws().isEmpty)
        try stage.collection.completeVectorIndex("near")
        #expect(try stage.state() == (1, 399, 0))
        #expect(try stage.flaws().isEmpty)
    }

    @Test(
        "a check names an entry, a place or a centroid that was changed",
        arguments: [
            "UPDATE vectors_1 SET entries = zeroblob(length(entries)) WHERE chunk = (SELECT min(chunk) FROM vectors_1)",
            "UPDATE vectors_1 SET count = count - 1 WHERE chunk = (SELECT min(chunk) FROM vectors_1)",
            "DELETE FROM vectors_1 WHERE chunk = (SELECT max(chunk) FROM vectors_1)",
            "DELETE FROM vector_places_1 WHERE document = 5",
            "UPDATE vector_places_1 SET chunk = chunk + 1 WHERE document = 5",
            "UPDATE vector_lists_1 SET centroid = x'00' WHERE list = 0", "DELETE FROM vector_lists_1",
            "UPDATE vector_generations_1 SET through = 10", "UPDATE vector_generations_1 SET ranges = x''",
            "UPDATE vector_generations_1 SET entries = 7", "DELETE FROM vector_generations_1",
            "INSERT INTO vectors_1 VALUES (1099511627776, 1, x'00')",
        ])
    func damage(sql: String) throws {
        let stage = try VectorStage()
        try stage.fill(400)
        try stage.index()
        try stage.test.unlock().connect().execute(sql)
        let flaws = try stage.flaws()
        #expect(flaws.count == 1, "\(flaws)")
        // A search may fail, or find other documents, but neither traps nor hangs.
        for options in ["", ", NULL, NULL, TRUE"] { _ = try? stage.found(5, to: stage.vector(), options: options) }
        try? stage.save("d8", stage.vector())
        try? stage.collection.completeVectorIndex("near")
        try stage.test.database.performMaintenance(type: .reindex)
        _ = try stage.found(5, to: stage.vector())
        #expect(try stage.flaws().isEmpty)
        #expect(try stage.state() == (1, 400, 0))
    }

    @Test("no part of a vector is in a file in clear")
    func markers() throws {
        let stage = try VectorStage()
        try stage.fill(400)
        try stage.index("near", .euclideanSquared, .none())
        let vector = try #require(stage.vectors["d9"])
        var patterns = [Data("text of d9".utf8)]
        for number in vector.prefix(2) {
            patterns.append(Data("\(number)".utf8))
            patterns.append(unsafe withUnsafeBytes(of: Float(number).bitPattern.littleEndian) { unsafe Data($0) })
        }
        let folder = URL(fileURLWithPath: stage.test.path).deletingLastPathComponent().path
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let content = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            // Four bytes may occur by chance in a file of some megabytes: the two floats must follow each other.
            #expect(content.range(of: patterns[0]) == nil && content.range(of: patterns[1]) == nil)
            #expect(content.range(of: patterns[2] + patterns[4]) == nil)
        }
    }
}

@Suite("lazy vector indexes")
struct LazyVectorIndexTests {
    let stage: VectorStage

    init() throws {
        stage = try VectorStage(dimensions: 2)
        var config = VectorIndexConfiguration(expression: "text", dimensions: 2, centroids: 1)
        config.isLazy = true
        try stage.collection.createIndex(withName: "lazy", config: config)
    }

    private func index() throws -> QueryIndex { try #require(try stage.collection.index(withName: "lazy")) }

    /// Saves documents with a text, the vector of which is (the text's number, 1).
    private func save(_ ids: Range<Int>, _ number: (Int) -> Int = { $0 }) throws {
        for id in ids {
            let document = try stage.collection.document(id: "\(id)")?.toMutable() ?? MutableDocument(id: "\(id)")
            try stage.collection.save(document: document.setString("\(number(id))", forKey: "text"))
        }
    }

    private func update(_ limit: UInt64 = 7, skip: (String) -> Bool = { _ in false }) throws -> Int {
        guard let updater = try index().beginUpdate(limit: limit) else { return 0 }
        for place in 0..<updater.count {
            let text = try #require(updater.string(at: place))
            if skip(text) {
                try updater.skipVector(at: place)
            } else {
                try updater.setVector(Float(text).map { [$0, 1] }, at: place)
            }
        }
        try updater.finish()
        return updater.count
    }

    private func found(_ number: Double, _ count: Int = 3) throws -> [String] {
        let text: String =
            "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(text, [\(number), 1]) LIMIT \(count)"
        return try stage.test.database.createQuery(text).execute().compactMap { $0.string(forKey: "id") }
    }

    @Test("documents come in the order of their changes, in batches, until each has a vector")
    func batches() throws {
        #expect(try index().beginUpdate(limit: 5) == nil)
        try save(0..<20)
        try stage.collection.save(document: MutableDocument(id: "none"))
        #expect(try found(3).isEmpty)
        let first = try #require(try index().beginUpdate(limit: 7))
        #expect((0..<first.count).map { first.string(at: $0) } == (0..<7).map { "\($0)" })
        #expect(try [update(), update(), update(), update()] == [7, 7, 6, 0])
        #expect(try found(3.1) == ["3", "4", "2"])
        try save(40..<60)
        while try update() > 0 {}
        #expect(try found(50, 1) == ["50"])
        #expect(try stage.state() == (1, 40, 0))
        #expect(try stage.flaws().isEmpty)
    }

    @Test("a changed document is found by its earlier vector until it is updated, a deleted one isn't found")
    func changes() throws {
        try save(0..<40)
        while try update() > 0 {}
        try save(5..<6) { _ in 900 }
        try stage.delete("6")
        #expect(try found(5.4, 2) == ["5", "4"])
        #expect(try update() == 1)
        #expect(try found(5.4, 2) == ["4", "7"])
        #expect(try found(899, 1) == ["5"])
        #expect(try update() == 0)
        #expect(try stage.flaws().isEmpty)
    }

    @Test(
        "documents that another index finds are compared by the vectors that were computed", arguments: [false, true])
    func conditions(isByWords: Bool) throws {
        try save(0..<40)
        while try update() > 0 {}
        if isByWords {
            try stage.collection.createIndex(withName: "words", config: FullTextIndexConfiguration(["text"]))
        } else {
            try stage.collection.createIndex(withName: "texts", config: ValueIndexConfiguration(["text"]))
        }
        let condition = isByWords ? "MATCH(words, '7 OR 12 OR 30')" : "text = '12'"
        let text: String =
            "SELECT META().id FROM _ WHERE \(condition) ORDER BY APPROX_VECTOR_DISTANCE(text, [11, 1]) LIMIT 5"
        let found = try stage.test.database.createQuery(text).execute().compactMap { $0.string(forKey: "id") }
        #expect(found == (isByWords ? ["12", "7", "30"] : ["12"]))
    }

    @Test("skipped documents and those that changed meanwhile come again, and nil takes a document out")
    func answers() throws {
        try save(0..<30)
        #expect(try update(10, skip: { $0 == "4" }) == 10)
        #expect(try update(100, skip: { $0 == "4" }) == 21)
        let updater = try #require(try index().beginUpdate(limit: 10))
        #expect(updater.count == 1 && updater.string(at: 0) == "4")
        try updater.setVector([4, 1], at: 0)
        try save(4..<5) { _ in 700 }
        try updater.finish()
        let again = try #require(try index().beginUpdate(limit: 10))
        #expect(again.count == 1 && again.string(at: 0) == "700")
        try again.setVector(nil, at: 0)
        try again.finish()
        #expect(try index().beginUpdate(limit: 10) == nil)
        #expect(try !found(4, 30).contains("4"))
        #expect(try found(4, 30).count == 29)
    }

    @Test("calls that break the rules of an update are refused, and nothing is stored")
    func rules() throws {
        try save(0..<2)
        let updater = try #require(try index().beginUpdate(limit: 10))
        #expect(throws: DatabaseError(.invalidParameter, "")) { try updater.setVector([1], at: 0) }
        #expect(throws: DatabaseError(.invalidParameter, "")) { try updater.setVector([.nan, 1], at: 0) }
        #expect(throws: DatabaseError(.invalidParameter, "")) { try updater.setVector([1, 1], at: 2) }
        #expect(throws: DatabaseError(.invalidParameter, "")) { try updater.skipVector(at: -1) }
        try updater.setVector([1, 1], at: 0)
        #expect(throws: DatabaseError(.invalidParameter, "")) { try updater.finish() }
        #expect(try found(1).isEmpty)
        try updater.skipVector(at: 1)
        try updater.finish()
        #expect(throws: DatabaseError(.invalidParameter, "")) { try updater.finish() }
        #expect(throws: DatabaseError(.invalidParameter, "")) { try index().beginUpdate(limit: 0) }
        #expect(try found(1) == ["0"])
        try stage.index("other", centroids: 1)
        let other = try #require(try stage.collection.index(withName: "other"))
        #expect(throws: DatabaseError(.invalidParameter, "")) { try other.beginUpdate(limit: 1) }
    }
}
