import SealiteDatabase
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("sorts that an index serves")
struct IndexOrderTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    private func ids(
        _ collection: MongoCollection<MongoDocument>, _ filter: MongoDocument, _ options: FindOptions
    ) async throws -> [BSON] {
        try await collection.find(filter, options: options).toArray().map { $0["_id"] ?? .undefined }
    }

    @Test("a plan says which sorts an index serves, in whole or in part")
    func plans() async throws {
        let things = try await test.collection(
            "things", (0..<50).map { ["_id": BSON($0), "a": BSON($0 % 5), "b": BSON($0 % 7), "c": BSON($0)] })
        try await things.createIndex(["a": 1, "b": 1])
        func sort(_ filter: MongoDocument, _ sort: MongoDocument) async throws -> FindPlan.Sort? {
            try await things.explain(filter, sort: sort).sort
        }
        #expect(try await sort([:], [:]) == nil)
        #expect(try await sort([:], ["$natural": -1]) == nil)
        #expect(try await sort([:], ["a": 1]) == .index)
        #expect(try await sort([:], ["a": -1]) == .index)
        #expect(try await sort([:], ["a": 1, "b": 1]) == .index)
        #expect(try await sort([:], ["a": -1, "b": -1]) == .index)
        #expect(try await sort([:], ["a": 1, "b": -1]) == .partlyIndex(1))
        #expect(try await sort([:], ["a": 1, "c": 1]) == .partlyIndex(1))
        #expect(try await sort([:], ["b": 1]) == .blocking)
        #expect(try await sort(["a": 3], ["b": 1]) == .index)
        #expect(try await sort(["a": 3], ["b": -1]) == .index)
        #expect(try await sort(["a": 3], ["a": -1, "b": 1]) == .index)
        #expect(try await sort(["a": ["$gt": 3]], ["a": 1]) == .index)
        #expect(try await sort(["a": ["$gt": 3]], ["b": 1]) == .blocking)
        #expect(try await sort(["_id": 3], ["a": 1]) == .blocking)
        #expect(try await things.explain([:], sort: ["b": 1]).isSortBlocking)
        #expect(try await "\(things.explain([:], sort: ["a": 1]))" == "read the index a_1_b_1 in the order of the sort")
        // An array makes several entries of one document.
        try await things.insertOne(["_id": "list", "a": [1, 2]])
        #expect(try await sort([:], ["a": 1]) == .blocking)
        let sparse = try await test.collection("sparse", [["_id": 1, "a": 1], ["_id": 2]])
        try await sparse.createIndex(["a": 1], options: IndexOptions(sparse: true))
        #expect(try await sparse.explain(sort: ["a": 1]).isSortBlocking)
    }

    @Test("random sorts, filters and limits give the same with indexes and without, whatever is changed between")
    func sameOrder() async throws {
        var random = RandomSorts()
        let (plain, indexed) = (try test.collection("plain"), try test.collection("indexed"))
        for keys in [["a": 1], ["b": -1, "a": 1], ["a": 1, "b.c": 1], ["b.c": 1]] as [MongoDocument] {
            try await indexed.createIndex(keys)
        }
        var (served, next) = (0, 0)
        for round in 0..<40 {
            for _ in 0..<10 {
                var document = random.document(isArrayAllowed: round > 30)
                document["_id"] = BSON(next)
                next += 1
                do {
                    try await indexed.insertOne(document)
                    try await plain.insertOne(document)
                } catch let error as MongoError { #expect(error.code == 171) }
            }
            let gone: MongoDocument = ["_id": BSON(random.next(next))]
            for collection in [plain, indexed] { try await collection.deleteOne(gone) }
            for _ in 0..<8 {
                let (filter, options) = (random.filter(), random.options())
                let plan = try await indexed.explain(filter, sort: options.sort)
                if !plan.isSortBlocking { served += 1 }
                let (found, expected) = (try await ids(indexed, filter, options), try await ids(plain, filter, options))
                guard found == expected else {
                    Issue.record("round \(round): \(filter) \(options): \(found), not \(expected); \(plan)")
                    return
                }
                let one = try await indexed.findOne(
                    filter, options: FindOneOptions(skip: options.skip, sort: options.sort))
                #expect(one?["_id"] == expected.first)
                let piped = try await indexed.aggregate([
                    ["$match": .document(filter)], ["$sort": .document(options.sort)], ["$skip": BSON(options.skip)],
                    ["$limit": BSON(options.limit ?? 1_000_000)],
                ]).toArray()
                #expect(piped.map { $0["_id"] ?? .undefined } == expected)
            }
        }
        #expect(served > 80)
    }

    @Test("values that are longer than an entry are in their order")
    func longValues() async throws {
        let long = String(repeating: "x", count: 1000)
        let things = try await test.collection(
            "things", (0..<30).map { ["_id": BSON($0), "a": .string(long + "\($0 * 7 % 30)"), "b": BSON($0 % 3)] })
        let expected = try await ids(things, [:], FindOptions(sort: ["a": 1, "b": 1]))
        let down = try await ids(things, [:], FindOptions(sort: ["a": -1]))
        try await things.createIndex(["a": 1, "b": 1])
        #expect(try await things.explain(sort: ["a": 1, "b": 1]).sort == .index)
        #expect(try await ids(things, [:], FindOptions(sort: ["a": 1, "b": 1])) == expected)
        #expect(try await ids(things, [:], FindOptions(sort: ["a": -1])) == down)
    }

    @Test(
        "a sort in a transaction sees what the transaction has changed, and a change that is taken back leaves no mark")
    func transactions() async throws {
        let things = try await test.collection("things", (0..<20).map { ["_id": BSON($0), "a": BSON($0)] })
        try await things.createIndex(["a": 1])
        #expect(try await things.explain(sort: ["a": 1]).sort == .index)
        // Both in one transaction: the second sorts what the first has written.
        await #expect(throws: BulkWriteError.self) {
            try await things.bulkWrite(
                [
                    .updateOne(filter: ["_id": 3], update: ["$set": ["a": [-5, 100]]]),
                    .updateOne(filter: [:], update: ["$set": ["x": 1]], options: UpdateOptions(sort: ["a": -1])),
                    .insertOne(["_id": 1]),
                ], options: BulkWriteOptions(atomic: true))
        }
        #expect(try await things.explain(sort: ["a": 1]).sort == .index)
        #expect(
            try await things.findOneAndUpdate(
                [:], ["$set": ["x": 1]], options: FindOneAndUpdateOptions(sort: ["a": -1]))?["_id"] == 19)
    }
}

/// Random documents, filters and sorts of one seed.
private struct RandomSorts {
    private var random = SeededRandom()

    mutating func next(_ bound: Int) -> Int { random.below(bound) }

    private mutating func value(isArrayAllowed: Bool = false) -> BSON {
        switch next(isArrayAllowed ? 9 : 7) {
        case 0: .null
        case 1: .double(Double(next(4)) + 0.5)
        case 2: .string(["", "a", "ab", "b"][next(4)])
        case 3: .bool(next(2) == 0)
        case 4: .document(["c": BSON(next(3))])
        case 5, 6: BSON(next(4))
        case 7: .array([])
        default: .array([BSON(next(4)), .string("a")])
        }
    }

    mutating func document(isArrayAllowed: Bool) -> MongoDocument {
        var document: MongoDocument = [:]
        for name in ["a", "b", "d"] where next(5) > 0 { document[name] = value(isArrayAllowed: isArrayAllowed) }
        return document
    }

    mutating func filter() -> MongoDocument {
        var filter: MongoDocument = [:]
        for path in ["a", "b", "b.c"] where next(4) == 0 {
            switch next(4) {
            case 0: filter[path] = .document(["$gte": BSON(next(4))])
            case 1: filter[path] = .document(["$exists": .bool(next(3) > 0)])
            case 2: filter[path] = .document(["$in": [value(), value()]])
            default: filter[path] = value()
            }
        }
        return filter
    }

    mutating func options() -> FindOptions {
        var sort: MongoDocument = [:]
        while sort.isEmpty {
            for path in next(2) == 0 ? ["a", "b.c", "d"] : ["b", "a", "d"] where next(2) == 0 {
                sort[path] = next(3) == 0 ? -1 : 1
            }
        }
        return FindOptions(limit: next(2) == 0 ? nil : 1 + next(20), skip: next(3) == 0 ? next(5) : 0, sort: sort)
    }
}
