import SealiteCredentials
import SealiteDatabase
import SealiteMongo
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMobileSync

@Suite("the state of synced documents")
struct SyncStateTests {
    let folder: TestFolder
    let client: MobileClient

    init() throws {
        folder = try TestFolder()
        client = try MobileClient(folder)
    }

    private func events() throws -> [String] {
        try client.documents.events(limit: 100).map { event in
            switch event.content {
            case .change(let operation, let isCommitted, _, _): "\(operation) \(isCommitted)"
            case .failure(let pause): pause.code
            }
        }
    }

    @Test("a document and its event are of one transaction")
    func oneTransaction() async throws {
        struct Failure: Error {}
        try await client.sync.insertOne(["_id": 1, "a": 1])
        let collection = client.collection
        await #expect(throws: Failure.self) {
            try await client.database.writeSynced(collection.collection) { _ in
                try collection.collection.save(document: MutableDocument(id: "2", json: "{}"))
                throw Failure()
            }
        }
        let ids = try await client.sync.syncedIds
        #expect(ids == [1])
        #expect(try events() == ["insert false"])
    }

    @Test("once configured, a collection is written by its sync alone until all ids are desynced")
    func refusal() async throws {
        try await client.sync.insertOne(["_id": 1, "a": 1])
        try await client.collection.updateOne(["_id": 1], ["$set": ["a": 2]])
        try await client.sync.configure(conflictHandler: nil)
        let collection = client.collection
        let refusal = DatabaseError(.collectionIsSynced, "")
        await #expect(throws: refusal) { try await collection.insertOne(["_id": 2]) }
        await #expect(throws: refusal) { try await collection.updateOne(["_id": 1], ["$set": ["a": 3]]) }
        await #expect(throws: refusal) { try await collection.deleteOne(["_id": 1]) }
        #expect(try await collection.countDocuments() == 1)
        try await client.sync.desyncOne(1)
        try await collection.insertOne(["_id": 2])
        #expect(try await client.sync.count() == 0)
        try await client.close()
    }

    @Test("the sync sees, counts and writes no other documents")
    func others() async throws {
        try await client.collection.insertMany([["_id": "a", "n": 1], ["_id": "b", "n": 1]])
        try await client.sync.insertOne(["_id": "c", "n": 1])
        #expect(try await client.sync.count() == 1)
        #expect(try await client.sync.updateMany([:], ["$set": ["n": 2]]).modifiedCount == 1)
        let upserted = try await client.sync.updateOne(
            ["n": 7], ["$set": ["m": 1]], options: UpdateOptions(upsert: true))
        #expect(upserted.upsertedID != nil)
        #expect(try await client.sync.aggregate([["$match": ["n": 1]]]).toArray().isEmpty)
        #expect(try await client.sync.deleteMany([:]).deletedCount == 2)
        #expect(try await client.collection.countDocuments() == 2)
        try await client.sync.syncOne("a")
        #expect(try await client.sync.findOne(["_id": "a"])?["n"] == 1)
        try await client.sync.desyncOne("a")
        #expect(try await client.collection.countDocuments() == 1)
    }

    @Test("a pipeline of the sync writes to its collection as other calls do, and to another one as a plain write")
    func writingPipelines() async throws {
        try await client.sync.insertOne(["_id": "a", "n": 1])
        try await client.sync.configure(conflictHandler: nil)
        _ = try await client.sync.aggregate([["$set": ["n": 2]], ["$merge": "docs"]]).toArray()
        #expect(try await client.sync.findOne(["_id": "a"])?["n"] == 2)
        _ = try await client.sync.aggregate([["$set": ["_id": "b"]], ["$merge": ["into": "docs"]]]).toArray()
        #expect(try await client.sync.syncedIds == ["a", "b"])
        _ = try await client.sync.aggregate([["$out": "other"]]).toArray()
        let other: MongoCollection<MongoDocument> = try MongoStore(client.database).collection("other")
        #expect(try await other.countDocuments() == 2)
        #expect(try await other.sync.syncedIds == [])
        try await client.close()
    }

    @Test("a deletion of what no session can have offered is forgotten, another isn't")
    func forgotten() async throws {
        try await client.sync.insertOne(["_id": 1])
        try await client.sync.deleteOne(["_id": 1])
        #expect(try await client.sync.syncedIds == [])
        try await client.sync.insertOne(["_id": 2])
        let count = try client.documents.beginSession()
        try await client.sync.deleteOne(["_id": 2])
        try client.documents.endSession(count)
        #expect(try await client.sync.uncommittedIds == [2])
        #expect(try events() == ["insert false", "insert false", "delete false"])
    }

    @Test("a session goes on while one of several does, so that a deletion of what it may have offered is sent")
    func sessions() async throws {
        let sessions = SyncSessions(client.documents)
        let main = try sessions.begin()
        do {
            let beside = try sessions.begin()
            withExtendedLifetime(beside) {}
        }
        await letTimePass(.milliseconds(20), because: "the end of a session that isn't noted tells nobody")
        try await client.sync.insertOne(["_id": 1])
        try await client.sync.deleteOne(["_id": 1])
        #expect(try await client.sync.uncommittedIds == [1])
        withExtendedLifetime(main) {}
    }

    @Test("a database that is opened again has the set, the pauses and the events")
    func reopened() async throws {
        try await client.sync.insertOne(["_id": "a", "n": 1])
        try client.documents.pause("a", MobileSyncError(.remoteRefused, "test").pause)
        try await client.database.close()
        let again = try MobileClient(folder)
        #expect(try await again.sync.syncedIds == ["a"])
        #expect(try await again.sync.pausedIds == ["a"])
        #expect(try again.documents.events(limit: 10).map(\.number) == [1, 2])
        try again.documents.removeEvents(through: 2)
        try await again.sync.updateOne(["_id": "a"], ["$set": ["n": 2]])
        #expect(try await again.sync.pausedIds == [])
        #expect(try again.documents.events(limit: 10).map(\.number) == [3])
    }

    @Test("several local updates are committed as one, with what they changed together")
    func merged() throws {
        let event = try ChangeEvent<MongoDocument>(
            1, "a", .update, isCommitted: true, before: SyncedBody.stored(["a": 1, "b": 1, "c": 1], keeping: nil),
            after: SyncedBody.stored(["a": 2, "b": 2], keeping: nil), in: client.collection.collection)
        #expect(event.updateDescription?.updatedFields == ["a": 2, "b": 2])
        #expect(event.updateDescription?.removedFields == ["c"])
    }

    @Test("the state says where nothing has to be looked up, and one of an earlier program doesn't")
    func stale() throws {
        let documents = client.documents
        try documents.add(["a", "b"])
        #expect(try documents.space()?.mayBeStale == true)
        var lookup = try documents.beginLookup()
        #expect(lookup.ids == ["a", "b"])
        try documents.setStale(["b"])
        try documents.endLookup(lookup.ids, lookup.count)
        #expect(try documents.staleIDs() == ["b"])
        try documents.pause("b", MobileSyncError(.resolutionError, "test").pause)
        lookup = try documents.beginLookup()
        #expect(lookup.ids == [])
        try documents.endLookup([], lookup.count)
        let space = try #require(try documents.space())
        #expect(!space.mayBeStale && space.isCaughtUp)
        // What is written while nothing is to be looked up is no reason for it, but the end of a pause is one.
        #expect(try documents.resume("b"))
        #expect(try documents.staleIDs() == ["b"])
        let name = "\(client.collection.collection.number)"
        try client.database.setLocalValue(store: "sync", name: name, value: [1, 2, 0, 0, 0, 1, 1])
        #expect(try documents.space()?.mayBeStale == true)
    }

    @Test("stored states that are damaged are refused", arguments: [[], [2], [1], [1, 9, 0, 0], [1, 1, 8, 0, 200]])
    func damaged(bytes: [UInt8]) throws {
        try client.database.setLocalValue(store: "sync/\(client.collection.collection.number)", name: "a", value: bytes)
        #expect(throws: DatabaseError.self) { try client.documents.records() }
    }

    @Test("events that can't be read are reported to the error listener once, and are read again after a time")
    func unreadableEvents() async throws {
        let time = ManualTime()
        var configuration = DatabaseConfiguration()
        configuration.time = time
        let client = try MobileClient(folder, "other", configuration)
        try await client.sync.insertOne(["_id": 1])
        let (store, name) = ("syncEvents/\(client.collection.collection.number)", "0000000000000001")
        let whole = try #require(try client.database.localValue(store: store, name: name))
        try client.database.setLocalValue(store: store, name: name, value: [2])
        try await client.configure { _, _ in nil }
        try await client.settle()
        #expect(client.told.errors.map { $0.error.code } == [.stopped])
        try client.database.setLocalValue(store: store, name: name, revision: whole.revision, value: whole.value)
        await eventually("the event is delivered") {
            time.advance(by: .seconds(15))
            return !client.told.events.isEmpty
        }
        #expect(client.told.events.map(\.documentID) == [1])
        try await client.close()
    }

    @Test("a configuration that fails leaves nothing to wait for, and another one follows", .endsIfItHangs)
    func failedConfiguration() async throws {
        try await client.sync.insertOne(["_id": 1])
        await client.mobile.connect(to: MobileSyncRemote(try EndpointURL("ws://127.0.0.1:1/db")))
        let (store, name) = ("sync", "\(client.collection.collection.number)")
        let whole = try #require(try client.database.localValue(store: store, name: name))
        try client.database.setLocalValue(store: store, name: name, value: [9])
        await #expect(throws: DatabaseError.self) { try await client.configure { _, _ in nil } }
        try client.database.setLocalValue(store: store, name: name, revision: whole.revision, value: whole.value)
        try await client.mobile.syncNow()
        try await client.settle()
        await client.mobile.setOnline(false)
        try await client.configure { _, _ in nil }
        try await client.settle()
        #expect(client.told.events.map(\.documentID) == [1])
        try await client.close()
    }

    @Test("a version is taken off what arrives and follows the remote's in what is sent")
    func versions() throws {
        let json = #"{"a":1.50,"__stitch_sync_version":{"spv":1,"id":"x","v":4},"b":[]}"#
        let (rest, version) = try StitchVersion.take(from: Array(json.utf8))
        #expect(String(decoding: rest, as: UTF8.self) == #"{"a":1.50,"b":[]}"#)
        let sent = StitchVersion.add(try #require(version).next, to: rest)
        let text = #"{"a":1.50,"b":[],"__stitch_sync_version":{"spv":1,"id":"x","v":5}}"#
        #expect(String(decoding: sent, as: UTF8.self) == text)
        // A remote may send the largest number, which has no successor.
        let last = StitchVersion.add(SyncVersion(id: "x", number: .max).next, to: rest)
        #expect(String(decoding: last, as: UTF8.self).hasSuffix(#""v":9223372036854775807}}"#))
        #expect(
            throws: MobileSyncError(
                .decodingError,
                "the member __stitch_sync_version of the remote's document isn't an object; the document is no longer synced"
            )
        ) {
            try StitchVersion.take(from: Array(#"{"__stitch_sync_version":7}"#.utf8))
        }
    }
}
