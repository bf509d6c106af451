import Foundation
import SealiteDatabase
import SealiteTestSupport
import SealiteVectors
import Testing

@testable import SealiteQuery

@Suite("search by vectors")
struct VectorSearchTests {
    private static let encodings: [VectorEncoding] = [
        .none(), .scalarQuantizer(type: .SQ8), .scalarQuantizer(type: .SQ6), .scalarQuantizer(type: .SQ4),
    ]

    @Test("a search of all lists finds exactly the nearest documents", arguments: DistanceMetric.allCases, encodings)
    func exact(metric: DistanceMetric, encoding: VectorEncoding) throws {
        let stage = try VectorStage()
        try stage.fill(600)
        try stage.index("near", metric, encoding)
        #expect(try stage.state().entries == 600)
        for _ in 0..<25 {
            let vector = stage.vector()
            let found = try stage.found(10, to: vector, options: ", NULL, NULL, TRUE")
            let exact = stage.nearest(10, to: vector, metric)
            #expect(found.map(\.id) == exact.map(\.id))
            for (one, other) in zip(found, exact) { #expect(abs(one.distance - other.distance) < 1e-5) }
        }
        #expect(try stage.flaws().isEmpty)
    }

    @Test("a search of some lists finds nearly all of the nearest documents, and reads few lists")
    func lists() throws {
        let stage = try VectorStage()
        try stage.fill(2_000, clusters: 40)
        try stage.index(centroids: 40)
        let recalls = try (0..<50).map { _ in
            let vector = stage.vector(clusters: 40)
            return VectorStage.recall(try stage.found(10, to: vector), stage.nearest(10, to: vector, .euclideanSquared))
        }
        #expect(recalls.reduce(0, +) / 50 > 0.98)
    }

    @Test("until there are enough vectors for a training, all documents are compared")
    func untrained() throws {
        let stage = try VectorStage()
        try stage.fill(199)
        try stage.index()
        for _ in 0..<3 {
            let vector = stage.vector()
            #expect(
                try stage.found(5, to: vector).map(\.id) == stage.nearest(5, to: vector, .euclideanSquared).map(\.id))
        }
        #expect(try stage.state().generations == 0)
        try stage.fill(60, "more")
        _ = try stage.found(5, to: stage.vector())
        #expect(try stage.state() == (1, 259, 0))
    }

    @Test("documents that are saved, changed, deleted, restored and purged are found as they are")
    func changes() throws {
        let stage = try VectorStage()
        try stage.fill(400)
        try stage.index()
        var random = SeededRandom(seed: 3)
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let id = "d\(Int.random(in: 0..<500, using: &random))"
                switch Int.random(in: 0..<6, using: &random) {
                case 0: try stage.delete(id)
                case 1:
                    if let document = try stage.collection.document(id: id) {
                        try stage.collection.purge(document: document)
                        stage.vectors[id] = nil
                    }
                default: try stage.save(id, stage.vector(), group: round % 10)
                }
            }
            let vector = stage.vector()
            let found = try stage.found(10, to: vector, options: ", NULL, NULL, TRUE")
            #expect(found.map(\.id) == stage.nearest(10, to: vector, .euclideanSquared).map(\.id), "round \(round)")
        }
        #expect(try stage.flaws().isEmpty)
        try stage.collection.completeVectorIndex("near")
        #expect(try stage.state() == (1, Int64(stage.vectors.count), 0))
        #expect(try stage.flaws().isEmpty)
    }

    @Test("a document's other members can change without an entry in the index")
    func unrelated() throws {
        let stage = try VectorStage()
        try stage.fill(300)
        try stage.index()
        let document = try #require(try stage.collection.document(id: "d7")?.toMutable())
        try stage.collection.save(document: document.setString("another text", forKey: "text"))
        #expect(try stage.state() == (1, 300, 0))
        try stage.save("d7", stage.vector())
        #expect(try stage.state() == (1, 300, 1))
    }

    @Test("values that aren't vectors of the index's dimensions aren't found")
    func values() throws {
        let stage = try VectorStage(dimensions: 2)
        try stage.test.save(
            json: """
                {"array": {"v": [1, 2]}, "base64": {"v": "AACAPwAAAEA="}, "short": {"v": [1]}, "long": {"v": [1, 2, 3]},
                "text": {"v": "one"}, "null": {"v": null}, "none": {}, "nested": {"v": [1, [2]]}, "word": {"v": [1, "2"]},
                "huge": {"v": [1, 1e39]}, "number": {"v": 1}, "object": {"v": {"0": 1, "1": 2}}, "zero": {"v": [0, 0]},
                "data": {"v": {"$binary": {"base64": "AACAPwAAAEA=", "subType": "00"}}},
                "float32": {"v": {"$binary": {"base64": "JwAAAIA/AAAAQA==", "subType": "09"}}},
                "int8": {"v": {"$binary": {"base64": "AwABAg==", "subType": "09"}}},
                "bits": {"v": {"$binary": {"base64": "EAABAg==", "subType": "09"}}}}
                """)
        let vectors: Set = ["array", "base64", "data", "float32", "int8"]
        try stage.index(centroids: 1)
        let found = try stage.found(20, to: [1, 2])
        #expect(Set(found.map(\.id)) == vectors.union(["zero"]))
        #expect(found.allSatisfy { $0.id == "zero" || $0.distance == 0 })
        try stage.index("near", centroids: 1, .cosine)
        #expect(Set(try stage.found(20, to: [1, 2]).map(\.id)) == vectors)
        #expect(try stage.flaws().isEmpty)
    }

    @Test(
        "a vector that can't be searched for is an error with the reason",
        arguments: [
            ("[1, 2, 3]", "3 dimensions"), ("\"one\"", "array of 2 numbers"), ("[0, 0]", "only zeros"),
            ("[1, 1e40]", "array of 2 numbers"), ("MISSING", "array of 2 numbers"), ("NULL", "array of 2 numbers"),
            ("{'$binary': {'base64': 'AwABAgM=', 'subType': '09'}}", "3 dimensions"),
            ("{'$binary': {'base64': 'EAABAg==', 'subType': '09'}}", "float32 in base64 or binary data"),
        ])
    func wrongVector(vector: String, reason: String) throws {
        let stage = try VectorStage(dimensions: 2)
        try stage.fill(30)
        try stage.index("near", centroids: 1, .cosine)
        let text: String = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, \(vector)) LIMIT 3"
        let query = try stage.test.database.createQuery(text)
        let error = #expect(throws: DatabaseError.self) { try query.execute().allResults() }
        #expect(error?.code == .invalidQuery && error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("binary data that a document has is stored, changed, searched for and trained with like other vectors")
    func binaryData() throws {
        let stage = try VectorStage()
        try stage.fill(300)
        let vector = stage.vector()
        let data = Data(VectorReader.bytes(of: vector.map { Float($0) }))
        try stage.collection.save(document: MutableDocument(id: "data").setData(data, forKey: "v"))
        stage.vectors["data"] = vector
        try stage.index()
        #expect(try stage.state() == (1, 301, 0))
        let query = try stage.test.database.createQuery(
            "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $data) LIMIT 2")
        query.parameters = Parameters().setValue(
            .dictionary(MutableDocument().setData(data, forKey: "v").dictionary(forKey: "v") ?? DictionaryObject()),
            forName: "data")
        #expect(
            try query.execute().compactMap { $0.string(forKey: "id") }
                == stage.nearest(2, to: vector, .euclideanSquared).map(\.id))
        try stage.collection.save(
            document: try #require(try stage.collection.document(id: "data")?.toMutable()).setData(
                Data(repeating: 0, count: 32), forKey: "v"))
        #expect(try stage.state() == (1, 301, 1))
        #expect(try stage.flaws().isEmpty)
    }

    @Test(
        "a call that no index serves is refused with the next step",
        arguments: [
            ("SELECT v FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $q)", "LIMIT"),
            ("SELECT v FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $q) LIMIT 10001", "10000"),
            ("SELECT v FROM _ ORDER BY APPROX_VECTOR_DISTANCE(w, $q) LIMIT 1", "no vector index"),
            ("SELECT v FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $q, 'dot') LIMIT 1", "another metric"),
            ("SELECT v FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $q, 'far') LIMIT 1", "name of a metric"),
            ("SELECT v FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $q, NULL, 0) LIMIT 1", "number of lists"),
            ("SELECT v FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, v) LIMIT 1", "depend"),
            (
                "SELECT v FROM _ WHERE APPROX_VECTOR_DISTANCE(v, $a) < 1 ORDER BY APPROX_VECTOR_DISTANCE(v, $q) LIMIT 1",
                "one vector"
            ),
            ("SELECT COUNT(*) FROM _ WHERE APPROX_VECTOR_DISTANCE(v, $q) < 1 GROUP BY group LIMIT 1", "GROUP BY"),
        ])
    func refusals(text: String, reason: String) throws {
        let stage = try VectorStage()
        try stage.index()
        let text = text.replacing("GROUP BY group", with: "GROUP BY `group`")
        let error = #expect(throws: DatabaseError.self) { try stage.test.database.createQuery(text) }
        #expect(error?.code == .invalidQuery && error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("a configuration that an index can't have is refused, and nothing is created")
    func configurations() throws {
        let stage = try VectorStage()
        var wrong: [VectorIndexConfiguration] = [
            .init(expression: "v", dimensions: 1, centroids: 1), .init(expression: "v", dimensions: 4097, centroids: 1),
            .init(expression: "v", dimensions: 8, centroids: 0),
            .init(expression: "v", dimensions: 8, centroids: 64_001),
            .init(expression: "v", dimensions: 4096, centroids: 64_000),
        ]
        var probes = VectorIndexConfiguration(expression: "v", dimensions: 8, centroids: 8)
        probes.numProbes = 9
        var training = VectorIndexConfiguration(expression: "v", dimensions: 8, centroids: 8)
        training.maxTrainingSize = 100
        wrong += [probes, training]
        for config in wrong {
            let error = #expect(throws: DatabaseError.self) {
                try stage.collection.createIndex(withName: "i", config: config)
            }
            #expect(error?.code == .invalidParameter)
        }
        #expect(throws: DatabaseError(.invalidQuery, "")) {
            try stage.collection.createIndex(
                withName: "i", config: VectorIndexConfiguration(expression: "v +", dimensions: 8, centroids: 8))
        }
        #expect(try stage.collection.indexes().isEmpty)
    }

    @Test("an index says how it was defined")
    func definition() throws {
        let stage = try VectorStage()
        try stage.index("near", .cosine, .scalarQuantizer(type: .SQ4))
        let config = try #require(try stage.collection.index(withName: "near")?.vectors)
        #expect(config.expression == "v" && config.dimensions == 8 && config.centroids == 8 && config.metric == .cosine)
        #expect(
            config.encoding == .scalarQuantizer(type: .SQ4) && config.numProbes == 8 && config.minTrainingSize == 200)
    }
}

@Suite("search by vectors among documents that fulfil conditions")
struct HybridVectorSearchTests {
    let stage: VectorStage

    init() throws {
        stage = try VectorStage()
        try stage.fill(1_000)
    }

    private func plan(_ more: String) throws -> String {
        let text: String = "SELECT META().id FROM _ \(more) ORDER BY APPROX_VECTOR_DISTANCE(v, $vector) LIMIT 5"
        return try stage.test.database.createQuery(text).explain()
    }

    @Test("conditions are fulfilled by as many documents as LIMIT says, the nearest ones", arguments: [false, true])
    func conditions(hasIndex: Bool) throws {
        try stage.index(centroids: 10, probes: 10)
        if hasIndex { try stage.collection.createIndex(withName: "g", config: ValueIndexConfiguration(["`group`"])) }
        for round in 0..<20 {
            let vector = stage.vector()
            let group = round % 10
            let found = try stage.found(10, to: vector, "WHERE `group` = \(group) AND text LIKE 'text%'")
            let exact = stage.nearest(10, to: vector, .euclideanSquared) { Int($0.dropFirst())! % 10 == group }
            #expect(found.map(\.id) == exact.map(\.id))
        }
    }

    @Test(
        "documents that another index finds have vectors of the vector index, as those that lists find",
        arguments: [false, true])
    func sameDocuments(hasIndex: Bool) throws {
        let stage = try VectorStage(dimensions: 2)
        try stage.test.save(
            json: """
                {"one": {"v": [1, 2], "g": 1}, "zero": {"v": [0, 0], "g": 1}, "long": {"v": [1, 2, 3], "g": 1},
                "none": {"g": 1}, "other": {"v": [1, 1], "g": 2}}
                """)
        try stage.index("near", centroids: 1, .cosine)
        if hasIndex { try stage.collection.createIndex(withName: "g", config: ValueIndexConfiguration(["g"])) }
        #expect(try stage.found(20, to: [1, 2], "WHERE g = 1").map(\.id) == ["one"])
        for (vector, reason) in [([1.0, 2, 3], "3 dimensions"), ([0.0, 0], "only zeros")] {
            let error = #expect(throws: DatabaseError.self) { try stage.found(20, to: vector, "WHERE g = 1") }
            #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
        }
    }

    @Test("the plan says whether lists or another index find the documents, and why")
    func plans() throws {
        try stage.index(centroids: 10)
        #expect(try plan("").contains("search the vectors of the index near: 10 of 10 lists"))
        #expect(try plan("WHERE `group` = 3").contains("10 of 10 lists first, and more until"))
        try stage.collection.createIndex(withName: "g", config: ValueIndexConfiguration(["`group`"]))
        let keys = try plan("WHERE `group` = 3")
        #expect(keys.contains("search the index g") && keys.contains("since the index g finds"), "\(keys)")
        try stage.collection.createIndex(withName: "words", config: FullTextIndexConfiguration(["text"]))
        #expect(try plan("WHERE MATCH(words, 'd7')").contains("since a full-text index finds"))
    }

    @Test("a condition that no document fulfils ends, and one that few fulfil finds them all")
    func rare() throws {
        try stage.index(centroids: 10, probes: 1)
        #expect(try stage.found(10, to: stage.vector(), "WHERE text = 'nothing'").isEmpty)
        let found = try stage.found(10, to: stage.vector(), "WHERE META().id IN ['d1', 'd500', 'd999']")
        #expect(Set(found.map(\.id)) == ["d1", "d500", "d999"])
        #expect(found.map(\.distance) == found.map(\.distance).sorted())
    }

    @Test("a bound of the distance is a condition")
    func bound() throws {
        try stage.index(centroids: 10, probes: 10)
        let vector = stage.vector()
        let query = try stage.test.database.createQuery(
            "SELECT META().id FROM _ WHERE APPROX_VECTOR_DISTANCE(v, $vector) < 0.2 LIMIT 1000")
        query.parameters = Parameters().setValue(
            .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
        let found = try query.execute().compactMap { $0.string(forKey: "id") }
        let exact = stage.nearest(1_000, to: vector, .euclideanSquared).filter { $0.distance < 0.2 }
        #expect(Set(found) == Set(exact.map(\.id)) && !found.isEmpty)
    }

    @Test("words and vectors are fused by reciprocal ranks in one query")
    func fusion() throws {
        try stage.index(centroids: 10, probes: 10)
        try stage.collection.createIndex(withName: "words", config: FullTextIndexConfiguration(["text"]))
        let query = try stage.test.database.createQuery(
            """
            WITH words AS (SELECT META().id AS id, ROW_NUMBER() OVER (ORDER BY RANK(words) DESC) AS place FROM _
                    WHERE MATCH(words, 'd7 OR d8') LIMIT 50),
                near AS (SELECT META().id AS id, ROW_NUMBER() OVER (ORDER BY APPROX_VECTOR_DISTANCE(v, $vector)) AS place
                    FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $vector) LIMIT 50)
            SELECT id, SUM(1.0 / (60 + place)) AS score
            FROM (SELECT id, place FROM words UNION ALL SELECT id, place FROM near) AS both
            GROUP BY id ORDER BY score DESC LIMIT 10
            """)
        let vector = try #require(stage.vectors["d8"])
        query.parameters = Parameters().setValue(
            .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
        let rows = try query.execute().map { ($0.string(forKey: "id"), $0.double(forKey: "score")) }
        #expect(rows.first?.0 == "d8" && rows.count == 10)
    }

    @Test("a live query sees a nearer document")
    func live() async throws {
        try stage.index(centroids: 10)
        let vector = try #require(stage.vectors["d8"])
        let query = try stage.test.database.createQuery(
            "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $vector) LIMIT 1")
        query.parameters = Parameters().setValue(
            .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
        var results = query.results.makeAsyncIterator()
        #expect(try await results.next()?.allResults().first?.string(forKey: "id") == "d8")
        try stage.delete("d8")
        let second = stage.nearest(1, to: vector, .euclideanSquared)[0].id
        #expect(try await results.next()?.allResults().first?.string(forKey: "id") == second)
    }
}
