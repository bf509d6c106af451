import Foundation
import SealiteDatabase
import SealiteValues
import SealiteTestSupport
import Testing

@testable import SealiteMongo

@Suite("indexes of MongoDB's collections")
struct MongoIndexTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    private func ids(_ collection: MongoCollection<MongoDocument>, _ filter: MongoDocument) async throws -> [BSON] {
        try await collection.find(filter).toArray().map { $0["_id"] ?? .undefined }
    }

    @Test("a document that has a value several times in an array is found, changed and counted once")
    func repeatedItems() async throws {
        let things = try await test.collection(
            "things",
            [
                ["_id": 1, "t": ["a", "a"], "n": 0], ["_id": 2, "t": ["b", "a", "a"], "n": 0],
                ["_id": 3, "t": "a", "n": 0], ["_id": 4, "q": [["x": 1], ["x": 2]], "n": 0],
            ])
        try await things.createIndex(["t": 1])
        try await things.createIndex(["q.y": 1])
        #expect(try await ids(things, ["t": "a"]) == [1, 2, 3])
        #expect(try await ids(things, ["t": ["$in": ["a"]]]) == [1, 2, 3])
        #expect(try await ids(things, ["q.y": nil]) == [1, 2, 3, 4])
        let backwards = FindOptions(skip: 1, sort: ["$natural": -1])
        #expect(try await things.find(["t": "a"], options: backwards).toArray().map { $0["_id"] } == [2, 1])
        let part = FindOptions(limit: 2, skip: 1)
        #expect(try await things.find(["t": "a"], options: part).toArray().map { $0["_id"] } == [2, 3])
        #expect(try await things.updateMany(["t": "a"], ["$inc": ["n": 1]]).matchedCount == 3)
        #expect(try await things.countDocuments(["n": 1]) == 3)
        #expect(try await things.deleteMany(["t": "a"]).deletedCount == 3)
    }

    @Test("members whose names differ in normalization only are told apart, with indexes and without")
    func normalization() async throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let things = try await test.collection("things", [["_id": 1, decomposed: 5], ["_id": 2, composed: 5]])
        for index in ["", composed] {
            if !index.isEmpty { try await things.createIndex([index: 1]) }
            #expect(try await ids(things, [decomposed: 5]) == [1])
            #expect(try await ids(things, [composed: 5]) == [2])
            #expect(try await ids(things, [composed: 5, decomposed: nil]) == [2])
        }
        let result = try await things.updateOne(
            [decomposed: 5], ["$set": ["up": 2]], options: UpdateOptions(upsert: true))
        #expect(result.matchedCount == 1 && result.upsertedID == nil)
        let sorted = FindOptions(sort: [decomposed: -1])
        #expect(try await things.find([:], options: sorted).toArray().map { $0["_id"] } == [1, 2])
        let variables: MongoDocument = ["a\(composed)": 1, "a\(decomposed)": 2]
        let pair: BSON = .array([.string("$$a\(composed)"), .string("$$a\(decomposed)")])
        let stage: MongoDocument = ["$project": ["_id": 0, "x": ["$let": ["vars": .document(variables), "in": pair]]]]
        #expect(try await things.aggregate([["$limit": 1], stage]).toArray() == [["x": [1, 2]]])
        try await things.updateOne(["_id": 2], ["$set": [composed: 1, decomposed: 2]])
        try await things.updateOne(["_id": 1], ["$rename": [decomposed: .string(composed)]])
        #expect(try await ids(things, [composed: 5]) == [1])
    }

    @Test("random filters over random nested arrays find the same with indexes and without")
    func sameDocuments() async throws {
        // A soak sets a higher number.
        let rounds = ProcessInfo.processInfo.environment["SEALITE_INDEX_ROUNDS"].flatMap { Int($0) } ?? 300
        var random = RandomFilters(part: 77)
        let plain = try test.collection("plain")
        let indexed = try test.collection("indexed")
        for keys in [["a": 1], ["a.b": 1], ["b": -1, "a": 1], ["a.0": 1], ["b.a": 1, "c": 1]] as [MongoDocument] {
            do { try await indexed.createIndex(keys) } catch let error as MongoError { #expect(error.code == 171) }
        }
        for number in 0..<200 {
            var document = random.document(depth: 3)
            document["_id"] = .int32(Int32(number))
            do {
                try await indexed.insertOne(document)
                try await plain.insertOne(document)
            } catch let error as MongoError {
                #expect(error.code == 171)
            }
        }
        var searchCount = 0
        for round in 0..<rounds {
            let filter = random.filter()
            if case .index = try await indexed.explain(filter).access { searchCount += 1 }
            let (found, expected) = (try await ids(indexed, filter), try await ids(plain, filter))
            guard found == expected else {
                Issue.record(
                    "round \(round): \(filter): \(found), not \(expected), \(try await indexed.explain(filter))")
                return
            }
            let count =
                try await indexed.aggregate([["$match": .document(filter)], ["$count": "n"]], as: MongoDocument.self)
                .toArray().first?["n"] ?? 0
            #expect(count.isSame(as: BSON(expected.count)))
        }
        #expect(searchCount > rounds / 10)
        try await indexed.collection.database.performMaintenance(type: .integrityCheck)
    }

    @Test("an index is used for equality, lists, ranges, prefixes and several paths, and follows changes")
    func plans() async throws {
        let things = try await test.collection(
            "things",
            (0..<100).map {
                ["_id": BSON($0), "n": BSON($0 % 10), "s": .string("t\($0)"), "l": [BSON($0), BSON(-$0)]]
            })
        #expect(try await things.createIndex(["n": 1, "s": -1]) == "n_1_s_-1")
        try await things.createIndex(["l": 1], options: IndexOptions(name: "list"))
        #expect(try await things.explain(["n": 3]).access == .index("n_1_s_-1", rangeCount: 1))
        #expect(
            try await things.explain(["n": ["$in": [1, 2]], "s": ["$gt": "t5"]]).access
                == .index("n_1_s_-1", rangeCount: 2))
        #expect(try await things.explain(["s": "t5"]).access == .scan)
        #expect(try await things.explain(["n": ["$ne": 3]]).access == .scan)
        #expect(try await things.explain(["_id": 3, "n": 3]).access == .ids(1))
        #expect(try await things.explain(["l": ["$gt": 5, "$lt": 8]]).access == .index("list", rangeCount: 1))
        #expect(try await ids(things, ["l": ["$gt": 97.5]]) == [98, 99])
        try await things.updateOne(["_id": 98], ["$set": ["l": [1]]])
        try await things.deleteOne(["_id": 99])
        #expect(try await ids(things, ["l": ["$gt": 97.5]]).isEmpty)
        #expect(try await ids(things, ["l": 1]) == [1, 98])
        #expect(try await things.listIndexNames() == ["_id_", "list", "n_1_s_-1"])
        try await things.dropIndex("list")
        #expect(try await things.explain(["l": 5]).access == .scan)
        await #expect(throws: MongoError.self) { try await things.dropIndex("list") }
    }

    @Test(
        "what an item of an array lacks, and the places in it, are found as without an index",
        arguments: [
            (["a": ["$elemMatch": ["0": 5]]], [1, 2]), (["a": ["$elemMatch": ["b": nil]]], [1, 2, 3, 4]),
            (["a": ["$elemMatch": ["b": 3]]], [2]), (["a.b": nil], [3]), (["a.0": 5], []),
            (["a.b": ["$exists": true]], [2]), (["a": ["$elemMatch": ["$elemMatch": ["$eq": 5]]]], [1, 2]),
            (["a": ["$elemMatch": ["$elemMatch": ["d": 6]]]], [4]), (["a.0": ["$elemMatch": ["$eq": 5]]], [1, 2]),
            (["a.0": ["$elemMatch": ["d": 6]]], [4]),
        ] as [(MongoDocument, [BSON])])
    func items(_ filter: MongoDocument, _ expected: [BSON]) async throws {
        let documents: [MongoDocument] = [
            ["_id": 1, "a": [[5]]], ["_id": 2, "a": [[5], ["b": 3]]], ["_id": 3, "a": [["c": 1]]],
            ["_id": 4, "a": [[["d": 6]]]],
        ]
        let things = try await test.collection("things", documents)
        #expect(try await ids(things, filter) == expected)
        for path in ["a", "a.0", "a.b", "a.d"] { try await things.createIndex([path: 1]) }
        #expect(try await ids(things, filter) == expected)
    }

    private func code(_ body: () async throws -> Void) async -> Int? {
        do {
            try await body()
            return nil
        } catch { return (error as? MongoError)?.code }
    }

    @Test("a unique index refuses values that another document has, missing ones as null, and takes the statement back")
    func unique() async throws {
        let people = try await test.collection("people", [["_id": 1, "mail": "a"], ["_id": 2]])
        try await people.createIndex(["mail": 1], options: IndexOptions(unique: true))
        #expect(await code { try await people.insertOne(["_id": 3, "mail": "a"]) } == 11000)
        #expect(await code { try await people.insertOne(["_id": 3, "mail": nil]) } == 11000)
        #expect(await code { try await people.insertOne(["_id": 3, "mail": ["x", "a"]]) } == 11000)
        #expect(await code { try await people.updateOne(["_id": 2], ["$set": ["mail": "a"]]) } == 11000)
        #expect(
            await code { try await people.insertOne(["_id": 3, "mail": .string(String(repeating: "m", count: 2000))]) }
                == 17280)
        #expect(try await people.countDocuments() == 2)
        try await people.updateOne(["_id": 1], ["$set": ["mail": "b"]])
        try await people.insertOne(["_id": 3, "mail": "a"])
        #expect(try await people.duplicates(inIndex: "mail_1").isEmpty)
        // What sync brings is kept and listed, and can be edited as long as it makes no other violation.
        try people.collection.receive("foreign", #"{"mail":"b"}"#)
        #expect(try await people.duplicates(inIndex: "mail_1") == [[1, "foreign"]])
        try await people.updateOne(["_id": "foreign"], ["$set": ["seen": true]])
        #expect(await code { try await people.updateOne(["_id": "foreign"], ["$set": ["mail": "a"]]) } == 11000)
        let twice = try await test.collection("twice", [["_id": 1, "x": 1], ["_id": 2, "x": 1.0]])
        #expect(await code { try await twice.createIndex(["x": 1], options: IndexOptions(unique: true)) } == 11000)
        #expect(try await twice.listIndexNames() == ["_id_"])
    }

    @Test("$out may exchange unique values among documents that stay, and makes none equal")
    func exchangedByOut() async throws {
        let things = try await test.collection("things", [["_id": 1, "x": "a"], ["_id": 2, "x": "b"]])
        try await things.createIndex(["x": 1], options: IndexOptions(unique: true))
        let other: BSON = ["$cond": [["$eq": ["$x", "a"]], "b", "a"]]
        _ = try await things.aggregate([["$set": ["x": other]], ["$out": "things"]]).toArray()
        #expect(try await things.find().toArray() == [["_id": 1, "x": "b"], ["_id": 2, "x": "a"]])
        let equal: [MongoDocument] = [["$set": ["x": "a"]], ["$out": "things"]]
        #expect(await code { _ = try await things.aggregate(equal).toArray() } == 11000)
        #expect(try await things.countDocuments(["x": "b"]) == 1)
    }

    @Test("sparse and partial indexes leave documents out of the uniqueness, and no document out of an answer")
    func sparseAndPartial() async throws {
        let things = try await test.collection("things", [["_id": 1], ["_id": 2], ["_id": 3, "x": 5, "on": true]])
        try await things.createIndex(["x": 1], options: IndexOptions(unique: true, sparse: true))
        try await things.insertOne(["_id": 4])
        #expect(try await ids(things, ["x": nil]) == [1, 2, 4])
        #expect(try await things.explain(["x": nil]).access == .scan)
        try await things.dropIndex("x_1")
        let partial = IndexOptions(unique: true, partialFilterExpression: ["on": true])
        try await things.createIndex(["x": 1], options: partial)
        try await things.insertOne(["_id": 5, "x": 5])
        #expect(await code { try await things.insertOne(["_id": 6, "x": 5, "on": true]) } == 11000)
        #expect(try await ids(things, ["x": 5]) == [3, 5])
        #expect(
            try await things.listIndexes().last
                == IndexModel(
                    keys: ["x": 1],
                    options: IndexOptions(name: "x_1", unique: true, partialFilterExpression: ["on": true])))
    }

    @Test("a partial unique index leaves out documents with arrays at several paths, unless its filter has them")
    func arraysOutsideFilter() async throws {
        let things = try await test.collection("things", [["_id": 1, "a": [1, 2], "b": [3, 4]]])
        func create(_ filter: MongoDocument) async -> Int? {
            let options = IndexOptions(unique: true, partialFilterExpression: filter)
            return await code { try await things.createIndex(["a": 1, "b": 1], options: options) }
        }
        #expect(await create(["a": 1]) == 171)
        #expect(await create(["on": true]) == nil)
        #expect(try await things.listIndexNames() == ["_id_", "a_1_b_1"])
    }

    @Test("documents expire by the earliest date at the path of an index")
    func expiration() async throws {
        let date = DateTime(milliseconds: 4_000_000_000_000)
        let things = try await test.collection("things", [["_id": "old", "at": .datetime(date)], ["_id": "none"]])
        try await things.createIndex(["at": 1], options: IndexOptions(expireAfterSeconds: 10))
        #expect(
            try await things.collection.getDocumentExpiration(id: "old") == Date(timeIntervalSince1970: 4_000_000_010))
        #expect(try await things.collection.getDocumentExpiration(id: "none") == nil)
        try await things.updateOne(
            ["_id": "none"],
            ["$set": ["at": [1, .datetime(date), .datetime(DateTime(milliseconds: 3_999_999_990_000))]]])
        #expect(
            try await things.collection.getDocumentExpiration(id: "none") == Date(timeIntervalSince1970: 4_000_000_000))
        try await things.updateOne(["_id": "old"], ["$unset": ["at": ""]])
        #expect(try await things.collection.getDocumentExpiration(id: "old") == nil)
        try await things.insertOne(["_id": "gone", "at": .datetime(DateTime(milliseconds: 0))])
        try await eventually("its end") { try await things.collection.document(id: "gone") == nil }
    }

    @Test("of several indexes with expiration the earliest time counts, and one without a date takes none away")
    func severalExpirations() async throws {
        let (early, late) = (DateTime(milliseconds: 4_000_000_000_000), DateTime(milliseconds: 4_100_000_000_000))
        let things = try test.collection()
        for path in ["a", "b", "c"] {
            try await things.createIndex([path: 1], options: IndexOptions(expireAfterSeconds: 0))
        }
        try await things.insertOne(["_id": "x", "a": .datetime(early), "b": .datetime(late)])
        #expect(
            try await things.collection.getDocumentExpiration(id: "x") == Date(timeIntervalSince1970: 4_000_000_000))
    }

    @Test(
        "what is no index is refused with MongoDB's code",
        arguments: [
            (IndexModel(keys: [:]), 67), (IndexModel(keys: ["a": 0]), 67), (IndexModel(keys: ["a": "hashed"]), 67),
            (IndexModel(keys: ["a..b": 1]), 67), (IndexModel(keys: ["$a": 1]), 67),
            (IndexModel(keys: ["_id.x": 1]), 67),
            (IndexModel(keys: ["a": 1, "b": 1], options: IndexOptions(expireAfterSeconds: 1)), 67),
            (IndexModel(keys: ["a": 1], options: IndexOptions(expireAfterSeconds: -1)), 67),
            (IndexModel(keys: ["a": 1], options: IndexOptions(partialFilterExpression: ["$x": 1])), 2),
            (IndexModel(keys: ["there": 1], options: IndexOptions(name: "other")), 85),
            (IndexModel(keys: ["there": 1], options: IndexOptions(unique: true)), 86),
            (IndexModel(keys: ["new": 1], options: IndexOptions(name: "there_1")), 86),
        ])
    func refusals(_ model: IndexModel, _ expected: Int) async throws {
        let things = try test.collection()
        try await things.createIndex(["there": 1])
        try await things.createIndex(["there": 1])
        #expect(await code { try await things.createIndexes([model]) } == expected)
        #expect(try await things.listIndexNames() == ["_id_", "there_1"])
        #expect(try await things.createIndex(["_id": 1]) == "_id_")
        #expect(try await things.createIndex(["_id": -1], options: IndexOptions(name: "mine")) == "_id_")
    }

    @Test("two paths through arrays are refused, and documents that sync brings so are found")
    func parallelArrays() async throws {
        let things = try test.collection()
        try await things.createIndex(["a": 1, "b": 1])
        #expect(await code { try await things.insertOne(["_id": 1, "a": [1, 2], "b": [3, 4]]) } == 171)
        try await things.insertOne(["_id": 2, "a": [1, 2], "b": 3])
        try things.collection.receive("foreign", #"{"a":[1,7],"b":[8,9]}"#)
        #expect(try await ids(things, ["a": 7, "b": 9]) == ["foreign"])
        #expect(try await ids(things, ["a": 1]) == [2, "foreign"])
    }

    @Test("two paths through one array are accepted unless the index is unique, and every combination is found")
    func sharedArray() async throws {
        let things = try test.collection()
        try await things.createIndex(["a.b": 1, "a.c": 1])
        try await things.insertOne(["_id": 1, "a": [["b": 1, "c": 2], ["b": 3, "c": 4]]])
        // Of the two paths, one leads through an array in the array.
        try await things.insertOne(["_id": 2, "a": [["b": [5, 6], "c": 2]]])
        #expect(await code { try await things.insertOne(["_id": 3, "a": ["b": [1, 2], "c": [3, 4]]]) } == 171)
        #expect(try await ids(things, ["a.b": 1, "a.c": 4]) == [1])
        #expect(try await ids(things, ["a": ["$elemMatch": ["b": 1, "c": 4]]]) == [])
        #expect(try await ids(things, ["a": ["$elemMatch": ["b": 6, "c": 2]]]) == [2])
        #expect(try await ids(things, ["a.c": 2]) == [1, 2])
        try await things.dropIndexes()
        try await things.deleteMany([:])
        try await things.createIndex(["a.b": 1, "a.c": 1], options: IndexOptions(unique: true))
        #expect(
            await code { try await things.insertOne(["_id": 4, "a": [["b": 7, "c": 8], ["b": 9, "c": 8]]]) } == 171)
        try await things.insertOne(["_id": 5, "a": ["b": [7, 8]]])
    }

    @Test("a unique index isn't created over a document whose arrays it refuses")
    func arraysBeforeIndex() async throws {
        let things = try await test.collection("things", [["_id": 1, "a": [["b": 1, "c": 2], ["b": 3, "c": 4]]]])
        let unique = IndexOptions(unique: true)
        #expect(await code { try await things.createIndex(["a.b": 1, "a.c": 1], options: unique) } == 171)
        #expect(try await things.listIndexNames() == ["_id_"])
        #expect(await code { try await things.createIndex(["a.b": 1, "n": 1], options: unique) } == nil)
    }

    @Test("a document with more values than a unique index compares is refused, also when the index is created")
    func tooManyEntries() async throws {
        let things = try test.collection()
        let many = BSON.array((0..<100_000).map { BSON($0) })
        #expect(await code { try await things.insertOne(["a": many, "_id": "early"]) } == nil)
        let unique = IndexOptions(unique: true)
        #expect(await code { try await things.createIndex(["a": 1], options: unique) } == 17280)
        try await things.deleteOne(["_id": "early"])
        try await things.createIndex(["a": 1], options: unique)
        #expect(await code { try await things.insertOne(["a": many]) } == 17280)
        #expect(try await things.duplicates(inIndex: "a_1").isEmpty)
    }
}
