import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("documents that are looked at where SQLite has them")
struct BodyScanTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    private static let numbers: [BSON] = [
        1, .int64(2), 2.5, .decimal128(Decimal128(3)), .int64(.max), 1.0, "1", nil, [1], ["x": 1], .double(.infinity),
        .objectID(ObjectID("5f0000000000000000000000") ?? ObjectID()), .datetime(DateTime(milliseconds: 5)),
    ]

    /// Documents by chance, half of them with values of which several are equal and stored as other bytes.
    private static func documents(_ count: Int) -> [MongoDocument] {
        var random = RandomFilters(part: 5)
        return (0..<count).map { index in
            var document = random.document(depth: 3)
            if index.isMultiple(of: 2) { document["a"] = numbers[index / 2 % numbers.count] }
            if index.isMultiple(of: 3) { document["c"] = ["d": numbers[index / 3 % numbers.count]] }
            document["_id"] = BSON(index)
            return document
        }
    }

    /// Keys of groups: paths, and objects of paths.
    private static let keys: [BSON] = [
        "$a", "$a.b", "$b", "$c.d", "$c.d.x", "$missing", "$_id", "$$ROOT.a", ["x": "$a"], ["x": "$missing"],
        ["x": "$a", "y": "$c.d"], ["x": "$b", "y": "$missing", "z": "$c"], ["x": "$a", "y": "$_id"], ["x": ["y": "$a"]],
        ["x": "$a", "y": ["$literal": 1]],
    ]

    @Test("groups of stored documents are those of the same documents in memory", arguments: keys)
    func groups(_ key: BSON) async throws {
        let documents = Self.documents(400)
        let things = try await test.collection("things", documents)
        var stages: [MongoDocument] = [
            ["$group": ["_id": key, "n": ["$sum": 1]]],
            ["$group": ["_id": key, "n": ["$sum": .int64(3)], "d": ["$sum": 0.1], "t": ["$sum": "text"]]],
            ["$group": ["_id": key, "s": ["$sum": "$a"], "m": ["$avg": "$c.d"], "f": ["$first": "$a.b"]]],
            ["$group": ["_id": key, "p": ["$push": 1], "l": ["$last": "$_id"], "c": ["$count": [:]]]],
            ["$group": ["_id": key, "p": ["$push": 7], "x": ["$max": "$b"], "c": ["$count": [:]]]],
        ]
        if case .string = key { stages.append(["$sortByCount": key]) }
        let filters: [MongoDocument] = [[:], ["a": ["$gte": 1]], ["_id": ["$lt": 100]]]
        for filter in filters {
            for stage in stages {
                let pipeline: [MongoDocument] = [["$match": .document(filter)], stage]
                let found = try await things.aggregate(pipeline).toArray().map { BSON.document($0) }
                let expected = try PipelineCases.rows(
                    of: pipeline.map { .document($0) }, over: documents.map { Row($0) }, memoryLimit: 256 << 20)
                let areSame = found.elementsEqual(expected) { $0.isSame(as: $1) }
                #expect(areSame, "\(filter), \(stage)")
            }
        }
    }

    @Test("more keys than are remembered by their bytes are grouped all the same, and the limit holds")
    func manyKeys() async throws {
        let documents = (0..<3000).map { ["_id": BSON($0), "k": BSON($0 % 2000), "t": .string("\($0 % 2000)")] }
            .map { $0 as MongoDocument }
        let things = try await test.collection("things", documents)
        let group: MongoDocument = ["$group": ["_id": "$k", "n": ["$sum": 1]]]
        let counts = try await things.aggregate([group]).toArray()
        #expect(counts.count == 2000)
        #expect(counts.prefix(1000).allSatisfy { $0["n"] == 2 })
        #expect(counts.dropFirst(1000).allSatisfy { $0["n"] == 1 })
        let error = await #expect(throws: MongoError.self) {
            try await things.aggregate([group], options: AggregateOptions(memoryLimit: 50_000)).toArray()
        }
        #expect(error?.code == 146)
    }

    @Test("counts are the same with an index, with a limit and in a pipeline")
    func counts() async throws {
        let things = try await test.collection("things", Self.documents(400))
        let filters: [MongoDocument] = [
            [:], ["a": 1], ["a": ["$gt": 1, "$lt": 3]], ["a": "1"], ["c.d": ["$lte": 2]], ["a": nil],
            ["_id": ["$gt": 7]],
            ["$expr": ["$eq": ["$a", 1]]],
        ]
        var counts: [Int] = []
        for filter in filters {
            let found = try await things.find(filter).toArray().count
            #expect(try await things.countDocuments(filter) == found)
            #expect(try await things.countDocuments(filter, options: CountDocumentsOptions(limit: 3)) == min(found, 3))
            let piped = try await things.aggregate([["$match": .document(filter)], ["$count": "n"]]).toArray()
            let count = piped.first?["n"] ?? 0
            #expect(count.isSame(as: BSON(found)))
            counts.append(found)
        }
        try await things.createIndex(["a": 1])
        for (filter, count) in zip(filters, counts) { #expect(try await things.countDocuments(filter) == count) }
    }

    @Test("an error of the filter ends a count as it is")
    func failingFilter() async throws {
        let things = try await test.collection("things", [["a": "x"], ["a": 1]])
        let error = await #expect(throws: MongoError.self) {
            try await things.countDocuments(["$expr": ["$gt": [["$add": [["$literal": "x"], "$a"]], 1]]])
        }
        #expect(error?.code == 14)
        #expect(try await things.countDocuments(["a": 1]) == 1)
    }

    @Test("the aggregate that shows bodies takes no visitor of SQL's making", arguments: ["NULL", "x'00'", "4096"])
    func forgedVisitor(_ visitor: String) throws {
        #expect(throws: DatabaseError.self) {
            try test.store.database.readRows("SELECT mongo_visit(\(visitor), x'0c')") { _ in }
        }
    }

    // MARK: - Few documents

    @Test("a find through an index gives all documents, few or many, and what is left of them by skip and limit")
    func shortFinds() async throws {
        let documents = (0..<200).map { ["_id": BSON($0), "k": BSON($0 / 40), "u": BSON($0)] as MongoDocument }
        let things = try await test.collection("things", documents)
        try await things.createIndex(["k": 1])
        try await things.createIndex(["u": 1])
        #expect(try await things.find(["u": 7]).toArray() == [documents[7]])
        #expect(try await things.find(["u": 700]).first() == nil)
        #expect(try await things.find(["k": 2]).toArray() == Array(documents[80..<120]))
        #expect(try await things.find(["k": 2], options: FindOptions(limit: 5)).toArray() == Array(documents[80..<85]))
        let window = FindOptions(limit: 3, skip: 38)
        #expect(try await things.find(["k": 2], options: window).toArray() == Array(documents[118..<120]))
        #expect(try await things.find(["k": 2, "u": ["$gte": 110]]).toArray() == Array(documents[110..<120]))
        #expect(try await things.find(["_id": ["$in": [5, 3, 900]]]).toArray() == [documents[3], documents[5]])
        let reversed = FindOneOptions(sort: ["$natural": -1])
        #expect(try await things.findOne(["k": 1], options: reversed) == documents[79])
        #expect(try await things.findOne(["_id": 9])?["u"] == 9)
    }

    @Test("an equality finds in an index what a scan finds, in natural order and in reverse", arguments: [false, true])
    func equalities(isReversed: Bool) async throws {
        let long = String(repeating: "y", count: OrderKey.maximumByteCount)
        let values: [BSON] = [
            1, [1, 2], .string(long + "1"), nil, 1.0, [[1]], .string(long + "2"), .decimal128(Decimal128(1)), "1",
        ]
        var documents = (0..<63).map { ["_id": BSON($0), "k": values[$0 % values.count]] as MongoDocument }
        // A document with more values than an index has entries for, and one without a value.
        documents[30]["k"] = .array((0...PathEntries.limit).map { BSON($0) })
        documents[31]["k"] = nil
        let things = try await test.collection("things", documents)
        let options = FindOptions(sort: ["$natural": isReversed ? -1 : 1])
        var expected: [[MongoDocument]] = []
        for value in values { expected.append(try await things.find(["k": value], options: options).toArray()) }
        #expect(expected.map(\.count) == [28, 7, 7, 7, 28, 7, 7, 28, 7])
        try await things.createIndex(["k": 1])
        for (value, found) in zip(values, expected) {
            #expect(try await things.find(["k": value], options: options).toArray() == found)
            let plan = try await things.explain(["k": value])
            #expect(plan.access == .index("k_1", rangeCount: 1))
        }
    }

    @Test("a large document that an index leads to is found, too")
    func largeDocument() async throws {
        let text = String(repeating: "x", count: 100_000)
        let things = try await test.collection("things", [["_id": 1, "k": 1, "t": .string(text)]])
        try await things.createIndex(["k": 1])
        #expect(try await things.findOne(["k": 1])?["t"] == .string(text))
    }

    @Test("many tasks find documents at the same time, while others are written")
    func concurrentFinds() async throws {
        let things = try await test.collection("things", (0..<100).map { ["_id": BSON($0), "k": BSON($0)] })
        try await things.createIndex(["k": 1])
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var count = 0
                    for number in 0..<50 {
                        if task == 0 {
                            try await things.updateOne(["k": BSON(number)], ["$set": ["x": BSON(number)]])
                        }
                        count += try await things.find(["k": BSON((number * 7 + task) % 100)]).toArray().count
                    }
                    return count
                }
            }
            for try await count in group { #expect(count == 50) }
        }
    }

    // MARK: - Updates

    @Test("an update of many documents by an index changes each once, though their keys move in front of the search")
    func updateOfKeys() async throws {
        let things = try await test.collection("things", (0..<50).map { ["_id": BSON($0), "k": BSON($0)] })
        try await things.createIndex(["k": 1])
        let result = try await things.updateMany(["k": ["$gte": 10]], ["$inc": ["k": 100]])
        #expect(result.matchedCount == 40)
        #expect(result.modifiedCount == 40)
        #expect(try await things.countDocuments(["k": ["$gte": 110, "$lt": 150]]) == 40)
        let same = try await things.updateMany([:], ["$max": ["k": 120]])
        #expect((same.matchedCount, same.modifiedCount) == (50, 20))
        try await things.collection.database.performMaintenance(type: .integrityCheck)
    }
}
