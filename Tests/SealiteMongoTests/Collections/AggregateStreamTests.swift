import SealiteDatabase
import SealiteMongo
import SealiteValues
import SealiteTestSupport
import Testing

@Suite("pipelines that are read while they run")
struct AggregateStreamTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    @Test("a pipeline and what it looks up are out of the state in which it began")
    func snapshot() async throws {
        let orders = try await test.collection("orders", (0..<1000).map { ["_id": BSON($0), "item": BSON($0 % 7)] })
        let items = try await test.collection("items", (0..<7).map { ["_id": BSON($0), "name": "old"] })
        let stages: [MongoDocument] = [
            ["$match": ["_id": ["$lt": 900]]],
            ["$lookup": ["from": "items", "localField": "item", "foreignField": "_id", "as": "found"]],
            ["$project": ["name": "$found.name"]],
        ]
        var rows = orders.aggregate(stages, as: MongoDocument.self).makeAsyncIterator()
        #expect(try await rows.next()?["name"] == ["old"])
        try await items.updateMany([:], ["$set": ["name": "new"]])
        try await orders.deleteMany(["_id": ["$gte": 500]])
        var count = 1
        while let row = try await rows.next() {
            #expect(row["name"] == ["old"])
            count += 1
        }
        #expect(count == 900)
        #expect(try await rows.next() == nil)
        #expect(try await orders.aggregate(stages).toArray().count == 500)
    }

    @Test("an index gives a pipeline the documents that a scan gives, each once, over many pages")
    func indexedPages() async throws {
        // Some documents are found by two entries, and some bodies end a page by their size.
        let documents = (0..<1200).map { number -> MongoDocument in
            let tags: BSON = number % 10 == 0 ? [1, 2] : [BSON(number % 3)]
            return [
                "_id": BSON(number), "tags": tags, "text": .string(number < 400 && number % 40 == 1 ? text : "short"),
            ]
        }
        let things = try await test.collection("things", documents)
        let other = try test.collection("copies")
        for filter: MongoDocument in [
            ["tags": 1], ["tags": ["$in": [1, 2]]], ["tags": ["$gte": 1], "_id": ["$gte": 700]], ["tags": 7],
        ] {
            let stages: [MongoDocument] = [["$match": .document(filter)], ["$project": ["_id": 1]]]
            let scanned = try await things.aggregate(stages).toArray()
            try await things.createIndex(["tags": 1])
            #expect(try await things.aggregate(stages).toArray() == scanned, "\(filter)")
            // In a transaction, beside writes.
            _ = try await things.aggregate(stages + [["$out": "copies"]]).toArray()
            #expect(try await other.find([:], options: FindOptions(sort: ["_id": 1])).toArray() == scanned, "\(filter)")
            try await things.dropIndexes()
        }
    }

    private var text: String { String(repeating: "long ", count: 60_000) }

    @Test("what fails late gives the rows before it first, and an abandoned run holds nothing")
    func lateFailure() async throws {
        let things = try await test.collection("things", (0..<1000).map { ["_id": BSON($0), "n": BSON(900 - $0)] })
        var count = 0
        let error = await #expect(throws: MongoError.self) {
            for try await _ in things.aggregate([["$project": ["q": ["$divide": [1, "$n"]]]]]) { count += 1 }
        }
        #expect(error?.code == 2 && count > 500 && count <= 900)
        for _ in 0..<20 {
            var rows = things.aggregate([["$project": ["n": 1]]]).makeAsyncIterator()
            #expect(try await rows.next() != nil)
        }
        try await test.store.database.close()
    }

    @Test("cancelling the task ends the reading of a batch")
    func cancellation() async throws {
        let things = try await test.collection(
            "things", (0..<3000).map { ["_id": BSON($0), "n": BSON($0 % 1000)] })
        for isSorted in [false, true] {
            let reading = Task {
                if isSorted {
                    _ = try await things.find([
                        "$expr": ["$lt": [["$sum": ["$range": [0, ["$add": ["$n", 40_000]]]]], 0]]
                    ]).toArray()
                } else {
                    _ = try await things.aggregate([
                        [
                            "$lookup": [
                                "from": "things", "let": ["n": "$n"], "as": "x",
                                "pipeline": [
                                    ["$match": ["$expr": ["$eq": [["$add": ["$n", "$$n"]], -1]]]]
                                ],
                            ]
                        ]
                    ]).toArray()
                }
            }
            await letTimePass(.milliseconds(30), because: "the reading is under way by then, and tells nobody")
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
    }
}
