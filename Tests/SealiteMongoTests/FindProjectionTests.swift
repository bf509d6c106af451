import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("projections of find")
struct FindProjectionTests {
    private func found(
        _ document: MongoDocument, _ filter: MongoDocument, _ projection: MongoDocument
    ) throws -> MongoDocument? {
        let statement = try FindStatement(filter: filter, projection: projection)
        return try statement.filter.match(Row(document)).flatMap { match in
            try statement.projection?.projector().document(of: Row(document), match)
        }
    }

    private func code(_ document: MongoDocument, _ filter: MongoDocument, _ projection: MongoDocument) -> Int? {
        do {
            _ = try found(document, filter, projection)
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("path.$ selects the item of the first array on the path")
    func positions() throws {
        #expect(try found(["x": [["y": 1], ["y": 2]]], ["x.y": 2], ["x.y.$": 1]) == ["x": [["y": 2]]])
        #expect(try found(["x": ["y": [5, 6]]], ["x.y": 6], ["x.y.$": 1]) == ["x": ["y": [6]]])
        #expect(try found(["g": [["m": [1, 2]], ["m": [3]]]], ["g.m": 3], ["g.m.$": 1]) == ["g": [["m": [3]]]])
        #expect(try found(["a": [1, 2, 3]], ["$or": [["a": 3], ["a": 2]]], ["a.$": 1]) == ["a": [2]])
        #expect(code(["a": [1, 2]], ["a.0": 1], ["a.$": 1]) == 51246)
        #expect(code(["a": [1, 2], "b": [1]], ["a": 2], ["b.$": 1]) == 51247)
    }

    @Test("an $elemMatch leaves an exclusion one, and comes last in an inclusion")
    func modes() throws {
        let document: MongoDocument = ["a": [1, 2, 3], "b": 1, "c": 2]
        #expect(try found(document, [:], ["a": ["$elemMatch": ["$gt": 1]], "c": 0]) == ["a": [2], "b": 1])
        #expect(try found(document, [:], ["a": ["$elemMatch": ["$gt": 1]], "c": 1])?.keys == ["c", "a"])
        #expect(try found(document, [:], ["a": ["$slice": 1], "_id": 1]) == ["a": [1]])
        #expect(try found(document, [:], ["a": ["$slice": 1], "b": 0]) == ["a": [1], "c": 2])
        #expect(try found(document, [:], ["a": ["$slice": [[7, 8, 9], 2]]]) == ["a": [7, 8]])
        #expect(try found(document, [:], ["a": ["$slice": .double(.nan)]])?["a"] == [])
    }

    @Test("projections that can't be are refused with MongoDB's codes")
    func refusals() {
        let document: MongoDocument = ["a": [1, 2], "b": [1]]
        let match: BSON = ["$elemMatch": ["$gt": 0]]
        for (projection, expected) in [
            (["a.$": "x"], 31308), (["a.$": ["x": 1]], 31271), (["a.$": 0], 31395), (["a.$.b": 1], 31394),
            (["a.$": 1, "b.$": 1], 31276), (["a.$": 1, "b": match], 31255), (["b": match, "a.$": 1], 31256),
            (["a.$": 1, "c": 0], 31254), (["a": ["$slice": 1], "a.$": 1], 31250), (["a": ["$slice": [1]]], 28667),
            (["a": ["$slice": [0, 0]]], 28724), (["": match], 40352), (["a.": match], 40353), ([".a": match], 15998),
            (["a": ["$elemMatch": ["$gt": 0], "more": 1]], 16410),
            (["a": ["$elemMatch": ["$jsonSchema": [:]]]], 224),
        ] as [(MongoDocument, Int)] {
            #expect(code(document, ["a": 1], projection) == expected, "\(projection)")
        }
        #expect(code(document, ["a": 1, "$expr": true], ["a.$": 1]) == 224)
    }
}
