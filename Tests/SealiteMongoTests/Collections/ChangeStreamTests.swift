import SealiteDatabase
import SealiteMongo
import SealiteTestSupport
import SealiteValues
import Testing

@Suite("changes of MongoDB's collections")
struct ChangeStreamTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    @Test("insertions, updates, replacements and deletions are told apart")
    func kinds() async throws {
        let things = try await test.collection("things", [["_id": 0, "a": 0]])
        var events = try things.watch().makeAsyncIterator()
        try await things.insertOne(["_id": 1, "a": 1, "b": ["c": 1, "d": [1, 2]], "e": 5])
        let inserted = try #require(try await events.next())
        #expect(inserted.operationType == .insert)
        #expect(inserted.documentKey == ["_id": 1])
        #expect(inserted.fullDocument == ["_id": 1, "a": 1, "b": ["c": 1, "d": [1, 2]], "e": 5])
        #expect(inserted.ns == ChangeNamespace(db: "_default", coll: "things"))
        #expect(inserted.updateDescription == nil)
        try await things.updateOne(
            ["_id": 1], ["$set": ["b.c": 2, "b.d": [1, 2, 3], "f": nil], "$unset": ["e": ""]])
        let updated = try #require(try await events.next())
        #expect(updated.operationType == .update)
        #expect(
            updated.updateDescription
                == UpdateDescription(updatedFields: ["b.c": 2, "b.d": [1, 2, 3], "f": nil], removedFields: ["e"]))
        #expect(updated.fullDocument == ["_id": 1, "a": 1, "b": ["c": 2, "d": [1, 2, 3]], "f": nil])
        try await things.replaceOne(["_id": 1], ["a": 2])
        let replaced = try #require(try await events.next())
        #expect(replaced.operationType == .replace && replaced.updateDescription == nil)
        #expect(replaced.fullDocument == ["_id": 1, "a": 2])
        try await things.deleteOne(["_id": 1])
        let deleted = try #require(try await events.next())
        #expect(deleted.operationType == .delete && deleted.fullDocument == nil && deleted.documentKey == ["_id": 1])
        try await things.insertOne(["_id": 1, "a": 3])
        #expect(try await events.next()?.operationType == .insert)
        try await things.collection.purge(id: "$n:0")
        let purged = try #require(try await events.next())
        #expect(purged.operationType == .delete && purged.documentKey == ["_id": 0])
    }

    @Test("several changes since the last event are one, from what was known to what there is")
    func coalescing() async throws {
        let things = try await test.collection("things", [["_id": 1, "a": 1], ["_id": 2, "a": 1]])
        var events = try things.watch().makeAsyncIterator()
        try await things.updateOne(["_id": 1], ["$inc": ["a": 1]])
        try await things.updateOne(["_id": 1], ["$inc": ["a": 1]])
        try await things.updateOne(["_id": 1], ["$set": ["b": 1]])
        try await things.insertOne(["_id": 3])
        try await things.updateOne(["_id": 3], ["$set": ["b": 1]])
        try await things.updateOne(["_id": 2], ["$inc": ["a": 1]])
        try await things.updateOne(["_id": 2], ["$inc": ["a": -1]])
        let first = try #require(try await events.next())
        #expect(first.updateDescription?.updatedFields == ["a": 3, "b": 1])
        let second = try #require(try await events.next())
        #expect(second.operationType == .insert && second.fullDocument == ["_id": 3, "b": 1])
        // What was undone again is no change.
        try await things.deleteOne(["_id": 2])
        #expect(try await events.next()?.operationType == .delete)
    }

    @Test("a transaction that is taken back leaves nothing behind for what comes then")
    func rollback() async throws {
        struct Undone: Error {}
        let things = try await test.collection("things", [["_id": 1, "a": 1]])
        var events = try things.watch().makeAsyncIterator()
        let document = try #require(try await things.collection.document(id: "$n:1"))
        #expect(throws: Undone.self) {
            try things.collection.database.write { transaction in
                try transaction.save(document.toMutable().setInt(7, forKey: "a"), in: things.collection)
                throw Undone()
            }
        }
        try await things.updateOne(["_id": 1], ["$set": ["b": 2]])
        #expect(try await events.next()?.updateDescription?.updatedFields == ["b": 2])
    }

    @Test("what sync brings has its kind, and what it changed")
    func foreignChanges() async throws {
        let things = try await test.collection("things", [["_id": 1, "a": 1]])
        var events = try things.watch().makeAsyncIterator()
        try things.collection.receive("new", #"{"a":1}"#)
        #expect(try await events.next()?.operationType == .insert)
        let second = IncomingRevision(
            documentID: "new", version: Version("2-aa"), history: [Version("1-aa")], body: Array(#"{"a":2}"#.utf8))
        #expect(try things.collection.insert(second) == .inserted)
        #expect(try await events.next()?.updateDescription?.updatedFields == ["a": 2])
    }

    @Test(
        "what another process changes is told: by its kind as far as that is known, and purges aren't",
        .endsIfItHangs)
    func otherProcess() async throws {
        let things = try await test.collection("things", [["_id": 1, "a": 1], ["_id": 2, "a": 1]])
        var events = try things.watch().makeAsyncIterator()
        let child = try ChildProcess(ChildProcess.buildFolder + "/SealiteTestChild")
        func run(_ command: String, _ rest: String) throws {
            try child.send("\(command) \(test.path) 7 things \(rest)")
            #expect(try child.line() == "ok")
        }
        try run("save", #"$n:3 {"a":3}"#)
        let inserted = try #require(try await events.next())
        #expect(inserted.operationType == .insert && inserted.documentKey == ["_id": 3])
        #expect(inserted.fullDocument == ["_id": 3, "a": 3])
        try run("save", #"$n:1 {"a":2}"#)
        let replaced = try #require(try await events.next())
        #expect(replaced.operationType == .replace && replaced.updateDescription == nil)
        #expect(replaced.fullDocument == ["_id": 1, "a": 2])
        try run("delete", "$n:1")
        let deleted = try #require(try await events.next())
        #expect(deleted.operationType == .delete && deleted.documentKey == ["_id": 1])
        // The next event is the one behind the purge.
        try run("purge", "$n:2")
        try await things.updateOne(["_id": 3], ["$inc": ["a": 1]])
        let updated = try #require(try await events.next())
        #expect(updated.documentKey == ["_id": 3] && updated.fullDocument == ["_id": 3, "a": 4])
    }

    @Test("events go through the stages of a pipeline, in their own form or that of another type")
    func pipelines() async throws {
        struct Age: Codable, Equatable { var kind: String; var age: Int }
        let people = try test.collection("people")
        var grown = try people.watch([
            ["$match": ["operationType": ["$in": ["insert", "update"]], "fullDocument.age": ["$gte": 18]]]
        ]).makeAsyncIterator()
        var ages = try people.watch(
            [["$project": ["kind": "$operationType", "age": "$fullDocument.age"]]], as: Age.self
        ).makeAsyncIterator()
        try await people.insertOne(["_id": "a", "age": 17])
        #expect(try await ages.next() == Age(kind: "insert", age: 17))
        try await people.updateOne(["_id": "a"], ["$inc": ["age": 1]])
        #expect(try await ages.next() == Age(kind: "update", age: 18))
        let event = try #require(try await grown.next())
        #expect(event.documentKey == ["_id": "a"] && event.fullDocument?["age"] == 18)
        #expect(throws: MongoError.self) { try people.watch([["$group": ["_id": "$a"]]]) }
        #expect(throws: MongoError.self) { try people.watch([["$nope": 1]]) }
    }

    @Test("the sequence ends with the database")
    func end() async throws {
        let things = try test.collection()
        var events = try things.watch().makeAsyncIterator()
        let next = Task { [database = things.collection.database] in
            await letTimePass(.milliseconds(50), because: "the other task waits for an event by then, and tells nobody")
            try await database.close()
        }
        #expect(try await events.next()?.operationType == nil)
        try await next.value
    }
}
