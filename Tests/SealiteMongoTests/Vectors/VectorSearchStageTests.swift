import SealiteDatabase
import SealiteQuery
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("$vectorSearch")
struct VectorSearchStageTests {
    private static let similarities = ["euclidean", "cosine", "dotProduct"]

    private func expect(_ found: [(id: Int, score: Double)], _ exact: [(id: Int, score: Double)]) {
        #expect(found.map(\.id) == exact.map(\.id))
        for (one, other) in zip(found, exact) { #expect(abs(one.score - other.score) < 1e-5) }
    }

    private func code(_ work: () async throws -> Void) async -> Int? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test(
        "an exact search finds the nearest documents with MongoDB's scores", arguments: similarities,
        ["none", "scalar"])
    func exact(similarity: String, quantization: String) async throws {
        let stage = try VectorCollection()
        try await stage.fill(600)
        try await stage.collection.createSearchIndex(definition: stage.definition(similarity, quantization))
        for _ in 0..<10 {
            let vector = stage.vector()
            expect(try await stage.found(vector), stage.nearest(vector, similarity))
        }
    }

    @Test("with as many candidates as documents a search finds what an exact one finds", arguments: similarities)
    func candidates(similarity: String) async throws {
        let stage = try VectorCollection()
        try await stage.fill(600)
        try await stage.collection.createSearchIndex(definition: stage.definition(similarity))
        var hits = 0
        for _ in 0..<10 {
            let vector = stage.vector()
            let exact = stage.nearest(vector, similarity)
            expect(try await stage.found(vector, ["numCandidates": 600]), exact)
            let few = try await stage.found(vector, ["numCandidates": 10])
            #expect(few.count == 10)
            hits += Set(few.map(\.id)).intersection(exact.map(\.id)).count
        }
        #expect(hits > 90)
    }

    @Test("with a filter, as many documents as fulfil it are found", arguments: [false, true])
    func filters(isIndexed: Bool) async throws {
        let stage = try VectorCollection()
        try await stage.fill(600)
        try await stage.collection.createSearchIndex(definition: stage.definition("cosine", "scalar"))
        if isIndexed { try await stage.collection.createIndex(["group": 1]) }
        for options in [["exact": true], ["numCandidates": 600]] as [MongoDocument] {
            let vector = stage.vector()
            var more = options
            more["filter"] = ["group": 3]
            expect(try await stage.found(vector, more), stage.nearest(vector, "cosine") { $0 == 3 })
            let all = stage.nearest(vector, limit: 100, "cosine") { $0 == 3 }
            expect(try await stage.found(vector, limit: 100, more), all)
            more["filter"] = ["group": ["$gte": 2], "e.v": ["$exists": true]]
            expect(try await stage.found(vector, more), stage.nearest(vector, "cosine") { $0 >= 2 })
            more["filter"] = ["_id": ["$in": [3, 14, 15]]]
            #expect(Set(try await stage.found(vector, more).map(\.id)) == [3, 14, 15])
            more["filter"] = ["group": 10]
            #expect(try await stage.found(vector, more).isEmpty)
        }
    }

    @Test("documents of further lists are among the nearer ones of the first lists")
    func order() async throws {
        let stage = try VectorCollection()
        try await stage.fill(600)
        try await stage.collection.createSearchIndex(definition: stage.definition("euclidean"))
        for _ in 0..<20 {
            let scores = try await stage.found(
                stage.vector(), limit: 40, ["numCandidates": 40, "filter": ["group": ["$in": [3, 7]]]]
            ).map(\.score)
            #expect(scores.count == 40 && scores == scores.sorted(by: >))
        }
    }

    @Test("a filter can use the variables of the pipeline")
    func variables() async throws {
        let stage = try VectorCollection()
        try await stage.fill(50)
        try await stage.collection.createSearchIndex(definition: stage.definition("euclidean"))
        let search = stage.search(
            stage.vector(), limit: 50, ["exact": true, "filter": ["$expr": ["$eq": ["$group", "$$wanted"]]]])
        let options = AggregateOptions(let: ["wanted": 4])
        let rows = try await stage.collection.aggregate([search], options: options).toArray()
        #expect(rows.count == 5)
        #expect(rows.allSatisfy { $0["group"] == 4 })
    }

    @Test("an empty collection has no nearest documents")
    func empty() async throws {
        let stage = try VectorCollection()
        try await stage.collection.createSearchIndex(definition: stage.definition("cosine"))
        #expect(try await stage.found(stage.vector()).isEmpty)
        #expect(try await stage.found(stage.vector(), ["numCandidates": 10, "filter": ["group": 1]]).isEmpty)
    }

    @Test("before there are enough vectors for a training, and after it, the nearest documents are found")
    func training() async throws {
        let stage = try VectorCollection()
        try await stage.collection.createSearchIndex(definition: stage.definition("euclidean"))
        for count in [5, 100, 500] {
            try await stage.fill(count)
            let vector = stage.vector()
            expect(try await stage.found(vector), stage.nearest(vector, "euclidean"))
            expect(try await stage.found(vector, ["numCandidates": 10_000]), stage.nearest(vector, "euclidean"))
        }
        let number = try stage.collection.collection.indexRecords()[0].number
        var generations: Int64 = 0
        try stage.test.store.database.readRows("SELECT count(*) FROM vector_generations_\(number)", isKept: false) {
            generations = $0.int64(at: 0)
        }
        #expect(generations == 1)
    }

    @Test("a vector can be a Binary with float32 or int8, or have integers and decimals")
    func forms() async throws {
        let stage = try VectorCollection()
        try await stage.fill(30)
        try await stage.collection.createSearchIndex(definition: stage.definition("cosine"))
        let expected = stage.nearest([1, 0, 0.5, 0, -2, 0], "cosine")
        let bytes = ([1, 0, 0.5, 0, -2, 0] as [Float]).flatMap { float in
            [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: float.bitPattern >> $0) }
        }
        let decimal = try #require(Decimal128("0.5"))
        for vector in [
            .binary(Binary([0x27, 0] + bytes, subtype: 9)),
            .array([.int32(1), .int64(0), .decimal128(decimal), .double(0), .int32(-2), .int32(0)]),
        ] as [BSON] {
            expect(try await stage.found([], ["exact": true, "queryVector": vector]), expected)
        }
        expect(
            try await stage.found(
                [], ["exact": true, "queryVector": .binary(Binary([3, 0, 2, 0, 1, 0, 0xFC, 0], subtype: 9))]), expected)
    }

    @Test("the score stays with the documents through the stages that change their shape")
    func scores() async throws {
        let stage = try VectorCollection()
        try await stage.fill(40)
        try await stage.collection.createSearchIndex(definition: stage.definition("cosine"))
        let vector = stage.vector()
        let exact = stage.nearest(vector, limit: 20, "cosine")
        let score: BSON = ["$meta": "vectorSearchScore"]
        let shapes: [[MongoDocument]] = [
            [["$set": ["a": [1]]], ["$unwind": "$a"], ["$sort": ["_id": -1]], ["$sort": ["score": score]]],
            [["$replaceWith": ["_id": "$_id", "old": "$$ROOT"]], ["$match": ["_id": ["$gte": 0]]], ["$skip": 0]],
            [["$lookup": ["from": "none", "localField": "a", "foreignField": "a", "as": "b"]], ["$unset": "e"]],
            [["$redact": "$$KEEP"], ["$setWindowFields": ["output": ["n": ["$sum": 1]]]], ["$sort": ["s": score]]],
        ]
        for stages in shapes {
            let end: [MongoDocument] = [["$addFields": ["score": score]], ["$limit": 20]]
            let rows = try await stage.collection.aggregate(
                [stage.search(vector, limit: 20, ["exact": true])] + stages + end
            ).toArray()
            expect(
                rows.map { (Int($0["_id"]?.exactInt64 ?? -1), BSONNumber($0["score"])?.double ?? -1) }, exact)
        }
        let best = try await stage.collection.aggregate([
            stage.search(vector, ["exact": true]), ["$group": ["_id": .null, "best": ["$max": score]]],
        ]).toArray()
        #expect(abs((BSONNumber(best[0]["best"])?.double ?? 0) - exact[0].score) < 1e-5)
        let facets = try await stage.collection.aggregate([
            stage.search(vector, ["exact": true]), ["$facet": ["a": [["$limit": 1], ["$project": ["s": score]]]]],
        ]).toArray()
        #expect(facets[0]["a"]?.items?.first?.members?["s"] != nil)
    }

    @Test("without a search before, and after a group, there is no score")
    func missingScores() async throws {
        let stage = try VectorCollection()
        try await stage.fill(20)
        try await stage.collection.createSearchIndex(definition: stage.definition("cosine"))
        let score: BSON = ["$meta": "vectorSearchScore"]
        let search = stage.search(stage.vector(), ["exact": true])
        for pipeline in [
            [["$project": ["s": score]]], [["$sort": ["s": score]]],
            [search, ["$group": ["_id": "$group"]], ["$set": ["s": score]]],
        ] as [[MongoDocument]] {
            let rows = try await stage.collection.aggregate(pipeline).toArray()
            #expect(!rows.isEmpty && rows.allSatisfy { $0["s"] == nil })
        }
        let other: MongoDocument = ["$project": ["s": ["$meta": "textScore"]]]
        #expect(await code { _ = try await stage.collection.aggregate([search, other]).toArray() } == 40218)
        let unknown: MongoDocument = ["$project": ["s": ["$meta": "otherScore"]]]
        #expect(await code { _ = try await stage.collection.aggregate([search, unknown]).toArray() } == 17308)
    }

    @Test("a search is the first stage of a pipeline that is no part of another stage")
    func places() async throws {
        let stage = try VectorCollection()
        let search: BSON = .document(stage.search(stage.vector(), ["exact": true]))
        for (pipeline, expected) in [
            ([["$match": [:]], search], 40602), ([["$facet": ["a": [search]]]], 40600),
            ([["$lookup": ["from": "a", "as": "b", "pipeline": [search]]]], 51047),
            ([["$unionWith": ["coll": "a", "pipeline": [search]]]], 31441),
        ] as [([BSON], Int)] {
            let stages = pipeline.compactMap(\.members)
            #expect(await code { _ = try await stage.collection.aggregate(stages).toArray() } == expected)
        }
        #expect(await code { _ = try PipelineCases.rows(of: [search], over: [], memoryLimit: 1 << 20) } == 20)
    }

    @Test(
        "a search with invalid members is refused",
        arguments: [
            (["index": "other"], 27), (["path": "e"], 9), (["path": "e.v.w"], 9), (["path": ""], 40352),
            (["index": 1], 14), (["queryVector": "text"], 14), (["queryVector": [1, 2, "3", 4, 5, 6]], 14),
            (["queryVector": [1, 2, 3]], 9), (["queryVector": [0, 0, 0, 0, 0, 0]], 9),
            (["queryVector": [1, 2, 3, 4, 5, 1e39]], 9), (["limit": 0], 9), (["limit": 10_001], 9), (["limit": 1.5], 9),
            (["limit": "1"], 9), (["exact": 1], 14), (["exact": false], 9), (["exact": false, "numCandidates": 9], 9),
            (["exact": false, "numCandidates": 10_001], 9), (["filter": 1], 14), (["filter": ["$some": 1]], 2),
            (["more": 1], 40415),
        ] as [(MongoDocument, Int)])
    func members(members: MongoDocument, expected: Int) async throws {
        let stage = try VectorCollection()
        try await stage.fill(20)
        try await stage.collection.createSearchIndex(definition: stage.definition("cosine"))
        var more: MongoDocument = ["exact": true]
        for member in members { more[member.key] = member.value }
        let specification = more
        #expect(await code { _ = try await stage.found(stage.vector(), specification) } == expected)
    }

    @Test("a search without a required member, or with another Binary, is refused")
    func incomplete() async throws {
        let stage = try VectorCollection()
        try await stage.collection.createSearchIndex(definition: stage.definition("cosine"))
        for name in ["index", "path", "queryVector", "limit"] {
            var members = stage.search(stage.vector(), ["exact": true])["$vectorSearch"]?.members ?? [:]
            members[name] = nil
            let stages: [MongoDocument] = [["$vectorSearch": .document(members)]]
            #expect(await code { _ = try await stage.collection.aggregate(stages).toArray() } == 40414, "\(name)")
        }
        for binary in [
            Binary([0x10, 0, 1, 2, 3, 4, 5, 6], subtype: 9), Binary([3, 1, 1, 2, 3, 4, 5, 6], subtype: 9),
            Binary([0x27, 0, 1], subtype: 9),
            Binary([0x27, 0] + Array(repeating: 0, count: 24)),
        ] {
            let more: MongoDocument = ["exact": true, "queryVector": .binary(binary)]
            #expect(await code { _ = try await stage.found([], more) } == 9)
        }
        let stages: [MongoDocument] = [["$vectorSearch": 1]]
        #expect(await code { _ = try await stage.collection.aggregate(stages).toArray() } == 9)
    }

    @Test("what a search finds can be written to a collection")
    func output() async throws {
        let stage = try VectorCollection()
        try await stage.fill(500)
        try await stage.collection.createSearchIndex(definition: stage.definition("euclidean"))
        let vector = stage.vector()
        _ = try await stage.collection.aggregate([
            stage.search(vector, ["exact": true]), ["$set": ["score": ["$meta": "vectorSearchScore"]]],
            ["$out": "best"],
        ]).toArray()
        let best = try await stage.test.collection("best").find().toArray()
        #expect(
            Set(best.map { Int($0["_id"]?.exactInt64 ?? -1) }) == Set(stage.nearest(vector, "euclidean").map(\.id)))
    }

    @Test("an index that was created in SQL++ serves $vectorSearch, and the other way round")
    func bothLanguages() async throws {
        let stage = try VectorCollection()
        try await stage.fill(300)
        let documents = stage.collection.collection
        var config = VectorIndexConfiguration(expression: "e.v", dimensions: 6, centroids: 4)
        config.metric = .euclideanSquared
        try documents.createIndex(withName: "default", config: config)
        let vector = stage.vector()
        expect(try await stage.found(vector), stage.nearest(vector, "euclidean"))
        #expect(try await stage.collection.listSearchIndexes().map { $0["name"] } == ["default"])

        try await stage.collection.dropSearchIndex("default")
        try await stage.collection.createSearchIndex(name: "mongo", definition: stage.definition("euclidean"))
        let query: Query = try stage.test.store.database.createQuery(
            "SELECT META().id FROM vectors ORDER BY APPROX_VECTOR_DISTANCE(e.v, [1, 0, 0, 0, 0, 0]) LIMIT 5")
        let plan: String = try query.explain()
        #expect(plan.contains("mongo"))
    }
}
