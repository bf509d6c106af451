import SealiteValues
import Testing

@testable import SealiteMongo

/// The codes of stages are those of MongoDB 8.
@Suite("codes of stages")
struct StageCodeTests {
    private func code(_ stages: [BSON]) -> Int? {
        do {
            _ = try PipelineCases.rows(of: stages, over: [Row(["_id": 1, "a": 1])], memoryLimit: 1 << 20)
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test(
        "an invalid specification has the code of its stage",
        arguments: [
            (["$bucket": ["boundaries": "a", "x": 1]], 40200), (["$bucket": ["x": 1]], 40197),
            (["$bucket": [:]], 40198),
            (["$bucket": ["groupBy": 1]], 40202), (["$bucket": ["output": 1]], 40196),
            (["$bucketAuto": ["groupBy": "$a", "buckets": 1.5]], 40242), (["$bucketAuto": ["x": 1]], 40245),
            (["$bucketAuto": ["groupBy": "$a", "buckets": 2, "granularity": 1]], 40261),
            (["$group": ["_id": ["a": 1]]], 17390), (["$group": ["_id": 1, "a": [:]]], 40234),
            (["$group": ["_id": 1, "a": ["$push": [1]]]], 40237), (["$group": ["_id": 1, "a": ["$count": 1]]], 14),
            (["$group": ["_id": 1, "a": ["$sum": ["$divide": [1, 0]]]]], 4_848_401),
            (["$group": ["_id": 1, "a": ["$firstN": ["input": 1]]]], 5_787_906),
            (["$group": ["_id": 1, "a": ["$firstN": ["input": 1, "n": 0]]]], 7_548_606),
            (["$sort": ["a": "x"]], 15974), (["$sort": ["a": 2]], 15975), (["$sort": ["a": ["$x": 1]]], 17312),
            (["$sort": ["a": ["$meta": "x"]]], 31138), (["$sort": ["a": ["$meta": "textScore"]]], 40218),
            (["$unset": 1], 31002), (["$unset": ["a\u{0}"]], 9_527_900), (["$unwind": ""], 28812),
            (["$project": ["a": 0, "b": "$a"]], 31310), (["$project": ["a": ["$x": 1]]], 31325),
            (["$project": ["a": ["$elemMatch": ["b": 1]]]], 168),
            (["$lookup": ["From": "b", "localField": "a", "foreignField": "b", "as": "c"]], 9),
            (["$set": ["a": 1, "a.b": 1]], 40176), (["$facet": ["a": [1]]], 40171),
            (["$facet": ["a": [["$documents": []]]]], 40600), (["$redact": ["$literal": "$$KEEP"]], 17053),
            (["$out": 1], 16990), (["$out": ["db": "d"]], 40414), (["$out": ["db": "d", "coll": ""]], 73),
            (["$out": "system.a"], 17385), (["$out": "$a"], 20), (["$out": ["db": "admin", "coll": "c"]], 31321),
            (["$out": ["db": "d", "coll": "c", "timeseries": ["timeField": 1]]], 14),
            (["$out": ["db": "d", "coll": "c", "timeseries": ["timeField": "t"]]], 238),
            (["$merge": 1], 14), (["$merge": ["into": 1]], 51178), (["$merge": ["into": "c", "on": 1]], 51186),
            (["$merge": ["into": "c", "on": ["a", "a"]]], 31465), (["$merge": ["into": "c", "whenMatched": "x"]], 2),
            (["$merge": ["into": "c", "whenMatched": "fail", "whenNotMatched": "fail"]], 51181),
            (["$merge": ["into": "c", "let": [:], "whenMatched": "merge"]], 51199),
            (["$merge": ["into": "c", "let": ["new": 1], "whenMatched": []]], 51273),
            (["$merge": ["into": "c", "whenMatched": [["$match": [:]]]]], 72),
            (["$lookup": [:]], 9), (["$lookup": ["from": 1, "as": "x"]], 9),
            (["$lookup": ["from": "", "as": "x", "pipeline": []]], 73),
            (["$lookup": ["from": "c", "as": "x", "pipeline": [["$out": "c"]]]], 51047),
            (["$unionWith": ["coll": "c", "pipeline": [["$merge": "c"]]]], 31441),
            (["$collStats": 1], 5_447_000), (["$collStats": ["count": ["a": 1]]], 31170),
            (["$collStats": ["storageStats": ["scale": 0]]], 2), (["$indexStats": 1], 28803),
            (["$planCacheStats": ["allHosts": 1]], 13111), (["$planCacheStats": ["allHosts": true]], 4_503_200),
            (["$querySettings": 1], 7_746_800), (["$querySettings": [:]], 73), (["$currentOp": ["allUsers": 1]], 14),
            (["$listLocalSessions": ["users": [[:]]]], 40414),
            (["$listLocalSessions": ["allUsers": true, "users": [["user": "a", "db": "b"]]]], 12),
            (["$listClusterCatalog": 1], 9_621_302), (["$changeStream": [:]], 40573),
        ] as [(BSON, Int)])
    func codes(_ stage: BSON, _ expected: Int) { #expect(code([stage]) == expected) }

    @Test("a pipeline has its stages where they belong")
    func places() {
        #expect(code([["$match": [:]], ["$collStats": [:]]]) == 40602)
        #expect(code([["$match": [:]], ["$match": ["$text": ["$search": "a"]]]]) == 17313)
        #expect(
            code([["$facet": ["a": [["$lookup": ["from": "c", "as": "x", "pipeline": [["$facet": ["b": []]]]]]]]]])
                == 40600)
        #expect(code([1]) == 14)
    }

    @Test("a bucket has the rounded share of the rows, and the last one the rest")
    func buckets() throws {
        let rows = [1, 10, 100, 1000].map { Row(["_id": BSON($0)]) }
        let stage: BSON = ["$bucketAuto": ["groupBy": "$_id", "buckets": 3, "granularity": "POWERSOF2"]]
        let found = try PipelineCases.rows(of: [stage], over: rows, memoryLimit: 1 << 20)
        #expect(found.map { $0.members?["count"] } == [1, 1, 2])
        #expect(found[0].members?["_id"] == ["min": 0.5, "max": 2])
    }
}
