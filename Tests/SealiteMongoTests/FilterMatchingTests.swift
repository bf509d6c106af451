import Foundation
import SealiteValues
import Synchronization
import Testing

@testable import SealiteMongo

@Suite("filters on documents with arrays")
struct FilterMatchingTests {
    @Test("random filters match stored bodies, values in memory and the letter of the rules alike")
    func oracle() throws {
        // A soak sets a higher number.
        let rounds = ProcessInfo.processInfo.environment["SEALITE_FILTER_ROUNDS"].flatMap { Int($0) } ?? 1500
        var random = RandomFilters(part: 20)
        var matchCount = 0
        for round in 0..<rounds {
            let query = random.filter()
            let filter = try Filter(parsing: query)
            for _ in 0..<4 {
                let document = random.document(depth: 3)
                let inMemory = try filter.matches(Row(document))
                let stored = try filter.matches(Row(body: document.stored(), id: .int32(1)))
                let expected = FilterOracle.matches(query, .document(document))
                if inMemory { matchCount += 1 }
                guard inMemory == expected, stored == expected else {
                    Issue.record("round \(round): \(query) on \(document): \(inMemory), \(stored), not \(expected)")
                    return
                }
            }
        }
        #expect(matchCount > rounds / 4)
    }

    @Test(
        "null, missing and empty arrays are told apart as MongoDB 4.0 to 8 does",
        arguments: [
            ("{}", "x.xx."), ("{\"a\": null}", "x.xx."), ("{\"a\": 4}", ".xxx."), ("{\"a\": {}}", ".xxx."),
            ("{\"a\": {\"b\": null}}", ".xx.."), ("{\"a\": {\"b\": \"hi\"}}", ".x..."), ("{\"a\": []}", ".x.x."),
            ("{\"a\": [[]]}", ".x.x."), ("{\"a\": [null, null]}", "x..xx"), ("{\"a\": [1, \"s\", 4]}", ".x.x."),
            ("{\"a\": [{\"b\": 3}, {}]}", ".xx.."), ("{\"a\": [{\"b\": null}, {\"b\": 3}]}", ".xx.."),
            ("{\"a\": [{\"b\": 1}, {\"b\": 3}]}", ".x..."),
        ])
    func nullTable(_ text: String, _ expected: String) throws {
        let filters: [MongoDocument] = [
            ["a": nil], ["a": ["$ne": nil]], ["a.b": nil], ["a.b": ["$exists": false]],
            ["a": ["$elemMatch": ["$eq": nil]]],
        ]
        let document = try MongoDocument(extendedJSON: text)
        let found = try filters.map { try Filter(parsing: $0).matches(Row(document)) ? "x" : "." }.joined()
        #expect(found == expected)
    }

    @Test("the place in an array is that of the last condition on one, and none under a negation")
    func position() throws {
        let document: MongoDocument = ["a": [1, 2, 3], "b": [4, 5, 6]]
        func place(_ filter: MongoDocument) throws -> Int? {
            try Filter(parsing: filter).match(Row(document))?.position
        }
        #expect(try place(["a": 2]) == 1)
        #expect(try place(["a": 2, "b": 6]) == 2)
        #expect(try place(["a": ["$elemMatch": ["$gt": 2]]]) == 2)
        #expect(try place(["a": ["$ne": 7]]) == nil)
        #expect(try place(["$or": [["a": 2], ["a": ["$gt": 2]]]]) == nil)
        // Equalities of one path are the same as $in.
        #expect(try place(["$or": [["a": 3], ["a": 2]]]) == place(["a": ["$in": [2, 3]]]))
    }

    @Test("bits of binary data of the subtype 2 begin with the length that the server stores before its bytes")
    func oldBinaryBits() throws {
        func holds(_ name: String, _ positions: BSON, _ value: BSON) throws -> Bool {
            try Filter(parsing: ["a": .document([name: positions])]).matches(Row(["a": value]))
        }
        let old = BSON.binary(Binary([0x80], subtype: 2))
        #expect(try holds("$bitsAllSet", [0, 39], old))
        #expect(try holds("$bitsAnySet", [7], old) == false)
        #expect(try holds("$bitsAllSet", [7], .binary(Binary([0x80], subtype: 0))))
    }

    @Test("a list takes regular expressions as values only", arguments: ["$in", "$nin"])
    func patternsInLists(name: String) throws {
        _ = try Filter(parsing: ["a": .document([name: [.regex(Regex("b"))]])])
        #expect(throws: MongoError.self) {
            try Filter(parsing: ["a": .document([name: [["$regex": "b"]]])])
        }
    }

    @Test("a filter of too many levels is refused")
    func depth() throws {
        var filter: MongoDocument = ["a": 1]
        for _ in 0..<FilterParser.maximumDepth { filter = ["$and": [.document(filter)]] }
        #expect(throws: MongoError.self) { try Filter(parsing: filter) }
    }

    @Test("a pattern of a schema that takes too many steps is an error, also under a negation")
    func stepsOfSchema() throws {
        let schema: MongoDocument = ["$jsonSchema": ["properties": ["a": ["pattern": "(a+)+$"]]]]
        let document: MongoDocument = ["a": .string(String(repeating: "a", count: 40) + "b")]
        for query in [schema, ["$nor": [.document(schema)]]] as [MongoDocument] {
            let error = #expect(throws: MongoError.self) { try Filter(parsing: query).matches(Row(document)) }
            #expect(error?.code == 51156)
        }
    }

    // Evaluated in more steps than those after which the cancellation is checked.
    private static let loop: MongoDocument = ["$expr": ["$map": ["input": ["$range": [0, 10_000]], "in": "$$this"]]]

    @Test("a long expression ends with the cancellation of the task that evaluates it")
    func cancellation() async throws {
        let filter = try Filter(parsing: Self.loop)
        let matching = Task {
            while !Task.isCancelled { await Task.yield() }
            return try filter.matches(Row([:]))
        }
        matching.cancel()
        await #expect(throws: CancellationError.self) { try await matching.value }
    }

    @Test("a long expression on another thread ends with the cancellation of the task that waits for it")
    func interruption() async throws {
        let filter = try Filter(parsing: Self.loop)
        let interruption = Interruption()
        let failure = Mutex<(any Error)?>(nil)
        let reading = Task {
            try await interruption.run {
                while (try? interruption.check()) != nil {}
                do { _ = try filter.matches(Row([:])) } catch { failure.withLock { $0 = error } }
            }
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        let found = failure.withLock { $0 }
        #expect(found is CancellationError)
    }
}
