import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("accumulators of arrays")
struct ArrayAccumulatorTests {
    private func run(_ values: [BSON?], _ stage: BSON) throws -> [BSON] {
        let rows = values.enumerated().map { number, value in
            var document: MongoDocument = ["_id": BSON(number)]
            if let value { document["v"] = value }
            return Row(document)
        }
        return try PipelineCases.rows(of: [["$sort": ["_id": 1]], stage], over: rows, memoryLimit: 1 << 20)
    }

    private func group(_ values: [BSON?], _ accumulator: BSON) throws -> BSON? {
        try run(values, ["$group": ["_id": .null, "r": accumulator]]).first?.members?["r"]
    }

    private func code(_ values: [BSON?], _ accumulator: BSON) -> Int? {
        do {
            _ = try group(values, accumulator)
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("$concatArrays joins the arrays of all rows in their order, with repeated items")
    func concatenation() throws {
        #expect(try group([[3, 1], [], [1, [2]]], ["$concatArrays": "$v"]) == [3, 1, 1, [2]])
        #expect(try group([nil, nil], ["$concatArrays": "$v"]) == [])
    }

    @Test("$setUnion has each item of all arrays once, where equal numbers of different types are the same")
    func union() throws {
        #expect(try group([[1, 2], [2.0, 3], nil, [[1], [1]]], ["$setUnion": "$v"]) == [1, 2, 3, [1]])
    }

    @Test("a value that is no array is refused, null too", arguments: ["$concatArrays", "$setUnion"])
    func refusals(name: String) {
        for value: BSON in [1, "a", .null, ["a": 1], .minKey] { #expect(code([[1], value], [name: "$v"]) == 14) }
        #expect(code([[1]], [name: ["$v", "$v"]]) == 40237)
    }

    @Test("both accumulate in windows and in buckets")
    func stages() throws {
        let output: BSON = ["r": ["$concatArrays": "$v", "window": ["documents": ["unbounded", "current"]]]]
        let windows = try run([[1], [2], [3]], ["$setWindowFields": ["sortBy": ["_id": 1], "output": output]])
        #expect(windows.map { $0.members?["r"] } == [[1], [1, 2], [1, 2, 3]])
        let bucket: BSON = ["groupBy": "$_id", "boundaries": [0, 2, 9], "output": ["r": ["$setUnion": "$v"]]]
        #expect(try run([[1], [1], [3]], ["$bucket": bucket]).map { $0.members?["r"] } == [[1], [3]])
    }
}
