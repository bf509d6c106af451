import SealiteDatabase
import SealiteMongo
import SealiteValues
import Testing

@Suite("collections with MongoDB's calls")
struct MongoCollectionTests {
    private struct Person: Codable, Sendable, Equatable {
        var name: String
        var age: Int
    }

    private struct Unencodable: Codable, Sendable {
        struct Failure: Error {}
        var name = ""

        func encode(to encoder: any Encoder) throws { throw Failure() }
    }

    @Test("values of a type are inserted, found, changed and deleted")
    func typedValues() async throws {
        let test = try TestStore()
        defer { withExtendedLifetime(test) {} }
        let people: MongoCollection<Person> = try test.store.collection("people", as: Person.self)
        try await people.insertMany([
            Person(name: "Ada", age: 36), Person(name: "Alan", age: 41), Person(name: "Grace", age: 85),
        ])
        let found = try await people.find(["age": ["$gt": 40]], options: FindOptions(sort: ["name": -1])).toArray()
        #expect(found == [Person(name: "Grace", age: 85), Person(name: "Alan", age: 41)])
        let result = try await people.updateOne(["name": "Ada"], ["$inc": ["age": 1]])
        #expect(result.modifiedCount == 1)
        #expect(try await people.findOne(["name": "Ada"])?.age == 37)
        let after = FindOneAndUpdateOptions(returnDocument: .after)
        #expect(try await people.findOneAndUpdate(["name": "Ada"], ["$set": ["age": 20]], options: after)?.age == 20)
        #expect(try await people.deleteMany(["age": ["$gte": 41]]).deletedCount == 2)
        #expect(try await people.countDocuments() == 1)
        #expect(try await people.estimatedDocumentCount() == 1)
    }

    @Test("a document gets an ObjectID, an id of any type comes back as it was, and an equal one is refused")
    func ids() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try thingsStore.collection()
        let made = try await things.insertOne(["a": 1]).insertedID
        #expect(made.type == .objectID)
        let ids: [BSON] = ["text", "$text", 7, 2.5, true, nil, .datetime(DateTime(milliseconds: 5)), ["x": 1]]
        for id in ids { try await things.insertOne(["_id": id, "b": 1]) }
        for id in ids {
            let found = try await things.findOne(["_id": id])
            #expect(found?["_id"] == id)
            #expect(found?.keys == ["_id", "b"])
        }
        let error = await #expect(throws: MongoError.self) { try await things.insertOne(["_id": 7.0]) }
        #expect(error?.code == 11000)
        let array = await #expect(throws: MongoError.self) { try await things.insertOne(["_id": [1]]) }
        #expect(array?.code == 53)
    }

    @Test("an update that changes nothing makes no revision, and one that does keeps the digits of other numbers")
    func revisions() async throws {
        let test = try TestStore()
        defer { withExtendedLifetime(test) {} }
        let things = try test.collection()
        let collection = things.collection
        try await collection.save(
            document: MutableDocument(id: "one", json: #"{"a": 1.10, "b": {"c": [2.50, 3]}, "d": 5}"#))
        let before = try await collection.document(id: "one")?.revisionID
        let same = try await things.updateMany([:], ["$set": ["d": 5], "$max": ["a": 1]])
        #expect(same.matchedCount == 1)
        #expect(same.modifiedCount == 0)
        #expect(try await collection.document(id: "one")?.revisionID == before)
        try await things.updateOne(["_id": "one"], ["$set": ["d": 6], "$push": ["b.c": 4]])
        #expect(try await collection.document(id: "one")?.toJSON() == #"{"a":1.10,"b":{"c":[2.50,3,4]},"d":6}"#)
    }

    @Test("a reading gives the documents of one state of the database, whatever is written meanwhile")
    func snapshot() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try thingsStore.collection()
        try await things.insertMany((0..<1000).map { ["_id": BSON($0), "a": BSON($0 % 10)] })
        var count = 0
        for try await document in things.find(["a": 3]) {
            if count == 0 { try await things.deleteMany([:]) }
            #expect(document["a"] == 3)
            count += 1
        }
        #expect(count == 100)
        #expect(try await things.countDocuments() == 0)
    }

    @Test("skip and limit hold with and without an order")
    func windows() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try thingsStore.collection()
        try await things.insertMany((0..<20).map { ["_id": BSON($0), "a": BSON(19 - $0)] })
        let natural = try await things.find([:], options: FindOptions(limit: 3, skip: 2)).toArray()
        #expect(natural.map { $0["_id"] } == [2, 3, 4])
        let sorted = try await things.find([:], options: FindOptions(limit: 3, skip: 2, sort: ["a": 1])).toArray()
        #expect(sorted.map { $0["a"] } == [2, 3, 4])
        let reversed = try await things.find([:], options: FindOptions(limit: 2, sort: ["$natural": -1])).toArray()
        #expect(reversed.map { $0["_id"] } == [19, 18])
        #expect(try await things.countDocuments([:], options: CountDocumentsOptions(limit: 5, skip: 2)) == 5)
        #expect(try await things.countDocuments([:], options: CountDocumentsOptions(limit: 0, skip: 2)) == 18)
        #expect(try await things.countDocuments([:], options: CountDocumentsOptions(limit: -5)) == 5)
        #expect(try await things.find(["a": 4]).first()?["_id"] == 15)
    }

    @Test("updateMany changes all documents or none")
    func atomicUpdates() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try await thingsStore.collection("things", [["_id": 1, "a": 1], ["_id": 2, "a": "x"]])
        await #expect(throws: MongoError.self) { try await things.updateMany([:], ["$inc": ["a": 1]]) }
        #expect(try await things.findOne(["_id": 1])?["a"] == 1)
    }

    @Test(
        "insertMany keeps what came before an error, with unordered also what came behind it, and with atomic nothing")
    func bulkErrors() async throws {
        let documents: [MongoDocument] = [["_id": 1], ["_id": 1], ["_id": 2]]
        let orderedStore = try TestStore()
        defer { withExtendedLifetime(orderedStore) {} }
        let ordered = try orderedStore.collection()
        let first = await #expect(throws: BulkWriteError.self) { try await ordered.insertMany(documents) }
        #expect(first?.writeErrors.map(\.index) == [1])
        #expect(first?.insertedIDs == [0: 1])
        #expect(try await ordered.countDocuments() == 1)
        let unorderedStore = try TestStore()
        defer { withExtendedLifetime(unorderedStore) {} }
        let unordered = try unorderedStore.collection()
        let second = await #expect(throws: BulkWriteError.self) {
            try await unordered.insertMany(documents, options: InsertManyOptions(ordered: false))
        }
        #expect(second?.insertedIDs == [0: 1, 2: 2])
        #expect(try await unordered.countDocuments() == 2)
        let atomicStore = try TestStore()
        defer { withExtendedLifetime(atomicStore) {} }
        let atomic = try atomicStore.collection()
        await #expect(throws: BulkWriteError.self) {
            try await atomic.insertMany(documents, options: InsertManyOptions(atomic: true))
        }
        #expect(try await atomic.countDocuments() == 0)
    }

    @Test("an _id that MongoDB doesn't allow is the error of its document, and keeps what insertMany inserted before")
    func invalidID() async throws {
        let store = try TestStore()
        defer { withExtendedLifetime(store) {} }
        let things = try store.collection()
        let error = await #expect(throws: BulkWriteError.self) {
            try await things.insertMany([["_id": 1], ["_id": [1]], ["_id": 2]])
        }
        #expect(error?.writeErrors.map(\.index) == [1])
        #expect(error?.writeErrors.first?.error.code == 53)
        #expect(error?.insertedIDs == [0: 1])
        #expect(try await things.countDocuments() == 1)
    }

    @Test("a value that can't be encoded ends a call of several writes with the error of its encoding")
    func unencodable() async throws {
        let test = try TestStore()
        defer { withExtendedLifetime(test) {} }
        let things: MongoCollection<Unencodable> = try test.store.collection("things", as: Unencodable.self)
        await #expect(throws: Unencodable.Failure.self) { try await things.insertMany([Unencodable()]) }
        await #expect(throws: Unencodable.Failure.self) { try await things.bulkWrite([.insertOne(Unencodable())]) }
    }

    @Test("an upsert inserts what the filter and the update say")
    func upsert() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try thingsStore.collection()
        let result = try await things.updateOne(
            ["_id": 5, "a": ["$eq": 1], "b": ["$gt": 2]], ["$set": ["c": 3]], options: UpdateOptions(upsert: true))
        #expect(result.upsertedID == 5)
        #expect(result.matchedCount == 0)
        #expect(try await things.findOne() == ["_id": 5, "a": 1, "c": 3])
    }

    @Test("values at a path are told apart, items of arrays among them")
    func distinct() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try await thingsStore.collection(
            "things", [["a": [1, 2]], ["a": 1.0], ["a": ["b": 3]], ["c": 1]])
        #expect(try await things.distinct("a") == [1, 2, ["b": 3]])
        #expect(try await things.distinct("a.b") == [3])
    }

    @Test("a projection chooses items of arrays")
    func projections() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try await thingsStore.collection(
            "things", [["_id": 1, "a": [1, 2, 3, 4], "b": [["x": 1], ["x": 2]], "c": 5]])
        func first(_ projection: MongoDocument, _ filter: MongoDocument = [:]) async throws -> MongoDocument? {
            try await things.findOne(filter, options: FindOneOptions(projection: projection))
        }
        #expect(try await first(["a": ["$slice": 2], "b": 0]) == ["_id": 1, "a": [1, 2], "c": 5])
        #expect(try await first(["a": ["$slice": [-3, 2]], "c": 1]) == ["_id": 1, "a": [2, 3], "c": 5])
        #expect(try await first(["b": ["$elemMatch": ["x": 2]]]) == ["_id": 1, "b": [["x": 2]]])
        #expect(try await first(["b": ["$elemMatch": ["x": 9]]]) == ["_id": 1])
        #expect(try await first(["a.$": 1, "_id": 0], ["a": ["$gte": 3]]) == ["a": [3]])
    }

    @Test("a pipeline reads and writes other collections")
    func pipelines() async throws {
        let test = try TestStore()
        defer { withExtendedLifetime(test) {} }
        let orders = try await test.collection("orders", [["_id": 1, "item": "a"], ["_id": 2, "item": "b"]])
        _ = try await test.collection("items", [["_id": "a", "price": 5]])
        let joined = try await orders.aggregate([
            ["$match": ["_id": 1]],
            ["$lookup": ["from": "items", "localField": "item", "foreignField": "_id", "as": "found"]],
        ]).toArray()
        #expect(joined == [["_id": 1, "item": "a", "found": [["_id": "a", "price": 5]]]])
        _ = try await orders.aggregate([["$project": ["item": 1]], ["$out": "copies"]]).toArray()
        #expect(try await test.collection("copies").countDocuments() == 2)
        _ = try await orders.aggregate([["$addFields": ["seen": true]], ["$merge": ["into": "orders"]]]).toArray()
        #expect(try await orders.countDocuments(["seen": true]) == 2)
    }

    @Test("a command replies as MongoDB's servers do")
    func commands() async throws {
        let test = try TestStore()
        defer { withExtendedLifetime(test) {} }
        let reply = try await test.store.runCommand(
            ["insert": "things", "documents": [["_id": 1], ["_id": 1], ["_id": 2]], "ordered": false])
        #expect(reply["n"] == 2)
        #expect(reply["ok"] == 1.0)
        #expect(try await test.store.runCommand(["count": "things"])["n"] == 2)
        let unknown = await #expect(throws: MongoError.self) { try await test.store.runCommand(["eval": "x"]) }
        #expect(unknown?.code == 59)
        // A command that reads makes no collection.
        let read: [MongoDocument] = [["find": "none"], ["count": "none"], ["distinct": "none", "key": "a"]]
        for command in read { #expect(try await test.store.runCommand(command)["ok"] == 1.0) }
        #expect(try await test.store.database.collection(name: "none") == nil)
    }

    @Test("what a filter or an update can't be is refused with MongoDB's numbers and without values")
    func errors() async throws {
        let thingsStore = try TestStore()
        defer { withExtendedLifetime(thingsStore) {} }
        let things = try await thingsStore.collection("things", [["_id": 1, "secret": "pa55"]])
        func code(_ body: () async throws -> Void) async -> Int? {
            do {
                try await body()
                return nil
            } catch {
                #expect(!"\(error)".contains("pa55"))
                return (error as? MongoError)?.code
            }
        }
        #expect(await code { _ = try await things.find(["secret": ["$nope": 1]]).toArray() } == 2)
        #expect(await code { try await things.updateOne([:], ["$inc": ["secret": 1]]) } == 14)
        #expect(await code { try await things.updateOne([:], ["$set": ["a": 1, "a.b": 2]]) } == 40)
        #expect(await code { try await things.updateOne([:], ["$set": ["_id": 2]]) } == 66)
        #expect(await code { try await things.updateOne([:], ["$set": ["secret.a": 2]]) } == 28)
        #expect(await code { try await things.updateOne([:], ["a": 1]) } == 9)
        #expect(await code { _ = try await things.find(["$where": "x"]).toArray() } == 2)
    }
}
