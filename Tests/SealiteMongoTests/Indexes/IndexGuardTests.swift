import Foundation
import SealiteDatabase
import SealiteMongo
import SealiteQuery
import SealiteValues
import Testing

@Suite("demands of MongoDB's indexes on what other calls write")
struct IndexGuardTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    private func refusal(_ body: () throws -> Void) -> DatabaseError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? DatabaseError)?.code }
    }

    private func save(_ collection: SealiteDatabase.Collection, _ id: String, _ json: String) throws {
        try collection.save(document: try MutableDocument(id: id, json: json))
    }

    private func run(_ text: String) throws {
        let query: Query = try test.store.database.createQuery(text as String)
        _ = try query.execute()
    }

    @Test("a unique index refuses what saves and SQL++ write")
    func unique() async throws {
        let people = try await test.collection("people", [["_id": "a", "mail": "x"], ["_id": "b", "mail": "y"]])
        try await people.createIndex(["mail": 1], options: IndexOptions(unique: true))
        #expect(refusal { try save(people.collection, "c", #"{"mail":"x"}"#) } == .refusedByIndex)
        #expect(refusal { try run("UPDATE people SET mail = 'x' WHERE META().id = 'b'") } == .refusedByIndex)
        #expect(try await people.countDocuments(["mail": "x"]) == 1)
        try save(people.collection, "c", #"{"mail":"z"}"#)
        try await people.collection.delete(id: "a")
        try run("UPDATE people SET mail = 'x' WHERE META().id = 'b'")
        #expect(try await people.duplicates(inIndex: "mail_1").isEmpty)
        #expect(refusal { try save(people.collection, "d", #"{"mail":["q","x"]}"#) } == .refusedByIndex)
    }

    @Test("a unique index takes a save over the same document, which the caller hasn't read")
    func unread() async throws {
        let people = try await test.collection("people", [["_id": "a", "mail": "x"], ["_id": "b", "mail": "y"]])
        try await people.createIndex(["mail": 1], options: IndexOptions(unique: true))
        try save(people.collection, "a", #"{"mail":"x","name":"Ana"}"#)
        #expect(try await people.countDocuments(["mail": "x", "name": "Ana"]) == 1)
        #expect(refusal { try save(people.collection, "a", #"{"mail":"y"}"#) } == .refusedByIndex)
        try await people.collection.delete(id: "b")
        try save(people.collection, "a", #"{"mail":"y"}"#)
        try save(people.collection, "b", #"{"mail":"x"}"#)
        #expect(try await people.duplicates(inIndex: "mail_1").isEmpty)
    }

    @Test("a partial index is unique among the documents of its filter, whoever writes them")
    func partial() async throws {
        let people = try await test.collection(
            "people", [["_id": "a", "mail": "x", "on": true], ["_id": "b", "mail": "x"]])
        try await people.createIndex(
            ["mail": 1], options: IndexOptions(unique: true, partialFilterExpression: ["on": true]))
        try save(people.collection, "c", #"{"mail":"x"}"#)
        #expect(refusal { try save(people.collection, "d", #"{"mail":"x","on":true}"#) } == .refusedByIndex)
        #expect(refusal { try run("UPDATE people SET `on` = true WHERE META().id = 'b'") } == .refusedByIndex)
    }

    @Test("documents expire by an index whoever writes them, peers too")
    func expiration() async throws {
        let things = try test.collection()
        try await things.createIndex(["at": 1], options: IndexOptions(expireAfterSeconds: 10))
        let date = #"{"at":{"$date":"2096-10-02T07:06:40.000Z"}}"#
        let time = Date(timeIntervalSince1970: 4_000_000_010)
        try save(things.collection, "saved", date)
        #expect(try await things.collection.getDocumentExpiration(id: "saved") == time)
        try things.collection.receive("received", date)
        #expect(try await things.collection.getDocumentExpiration(id: "received") == time)
        try run("UPDATE things SET n = 1 WHERE META().id = 'saved'")
        #expect(try await things.collection.getDocumentExpiration(id: "saved") == time)
        try run("UPDATE things UNSET `at` WHERE META().id = 'saved'")
        #expect(try await things.collection.getDocumentExpiration(id: "saved") == nil)
        // A time that a program sets stays where the index says nothing of the document.
        try await things.collection.setDocumentExpiration(id: "saved", expiration: time)
        try run("UPDATE things SET n = 2 WHERE META().id = 'saved'")
        #expect(try await things.collection.getDocumentExpiration(id: "saved") == time)
    }

    @Test("two paths through arrays are refused to every call that writes here")
    func parallelArrays() async throws {
        let things = try test.collection()
        try await things.createIndex(["a": 1, "b": 1])
        #expect(refusal { try save(things.collection, "x", #"{"a":[1,2],"b":[3]}"#) } == .refusedByIndex)
        try things.collection.receive("x", #"{"a":[1,2],"b":[3]}"#)
        try run("UPDATE things SET n = 1")
        #expect(try await things.countDocuments(["n": 1]) == 1)
    }

    @Test("a blob's description is a document like any other, and its content is read by the database")
    func blobs() async throws {
        let things = try test.collection()
        let blob = Blob(contentType: "application/octet-stream", bytes: [UInt8](repeating: 7, count: 100_000))
        try await test.store.database.saveBlob(blob: blob)
        let description = try MongoDocument(extendedJSON: blob.toJSON())
        try await things.insertOne(["_id": "with", "file": .document(description)])
        try await things.updateOne(["_id": "with"], ["$set": ["n": 1]])
        let found = try #require(try await things.findOne(["file.length": 100_000]))
        #expect(found["file"] == .document(description))
        #expect(try await things.collection.document(id: "with")?.blob(forKey: "file")?.length == 100_000)
    }
}
