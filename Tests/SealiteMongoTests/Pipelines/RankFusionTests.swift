import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("$rankFusion")
struct RankFusionTests {
    private let rows: [Row] = [
        Row(["_id": 1, "a": 30, "b": 1]), Row(["_id": 2, "a": 20, "b": 3]), Row(["_id": 3, "a": 10, "b": 2]),
    ]
    private let score: BSON = ["$project": ["s": ["$meta": "score"]]]

    private func run(_ stages: [BSON]) throws -> [BSON] {
        try PipelineCases.rows(of: stages, over: rows, memoryLimit: 1 << 20)
    }

    private func code(_ specification: BSON) -> Int? {
        do {
            _ = try run([["$rankFusion": specification]])
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("the score is the sum of the weights divided by 60 and the ranks, and the best is first")
    func scores() throws {
        let fusion: BSON = [
            "input": ["pipelines": ["x": [["$sort": ["a": -1]]], "y": [["$sort": ["b": -1]], ["$limit": 1]]]],
            "combination": ["weights": ["y": 0.5]],
        ]
        let found = try run([["$rankFusion": fusion], score])
        #expect(found.map { $0.members?["_id"] } == [2, 1, 3])
        #expect(found[0].members?["s"] == .double(1.0 / 62 + 0.5 / 61))
        #expect(found[2].members?["s"] == .double(1.0 / 63))
    }

    @Test("documents with equal sort values have the same rank")
    func ties() throws {
        let same: BSON = [["$sort": ["c": 1]]]
        let found = try run([["$rankFusion": ["input": ["pipelines": ["x": same]]]], score])
        #expect(found.allSatisfy { $0.members?["s"] == .double(1.0 / 61) })
    }

    @Test("the details name the rank in each pipeline, NA where the document wasn't found")
    func details() throws {
        let fusion: BSON = [
            "input": ["pipelines": ["x": [["$sort": ["a": 1]]], "y": [["$match": ["_id": 9]], ["$sort": ["a": 1]]]]],
            "scoreDetails": true,
        ]
        let found = try run([["$rankFusion": fusion], ["$project": ["d": ["$meta": "scoreDetails"]]]])
        let details = found[0].members?["d"]?.members?["details"]
        #expect(
            details == [
                ["inputPipelineName": "x", "rank": 1, "weight": 1.0, "details": []],
                ["inputPipelineName": "y", "rank": "NA"],
            ])
    }

    @Test(
        "what can't be ranked is refused",
        arguments: [
            (1, 9), ([:], 40414), (["input": 1], 14), (["input": ["pipelines": [:]]], 2), (["x": 1], 40415),
            (["input": ["pipelines": ["x": []]]], 9_834_300),
            (["input": ["pipelines": ["x": [["$limit": 1]]]]], 9_191_100),
            (["input": ["pipelines": ["x": [["$sort": ["a": 1]], ["$set": ["b": 1]]]]]], 9_191_103),
            (["input": ["pipelines": ["x.y": [["$sort": ["a": 1]]]]]], 16412),
            (["input": ["pipelines": ["x": [["$sort": ["a": 1]]]]], "combination": ["weights": ["x": "a"]]], 13118),
            (["input": ["pipelines": ["x": [["$sort": ["a": 1]]]]], "combination": ["weights": ["x": -1]]], 9_460_300),
            (["input": ["pipelines": ["x": [["$sort": ["a": 1]]]]], "combination": ["weights": ["y": 1]]], 9_967_500),
            (
                ["input": ["pipelines": ["x": [["$sort": ["a": 1]]]]], "combination": ["weights": ["x": 1, "y": 1]]],
                9_460_301
            ),
            (["input": ["pipelines": ["x": [["$rankFusion": ["input": 1]]]]]], 10_473_002),
        ] as [(BSON, Int)])
    func refusals(_ specification: BSON, _ expected: Int) { #expect(code(specification) == expected) }
}
