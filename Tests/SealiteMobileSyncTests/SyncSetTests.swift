import Dispatch
import SealiteCredentials
import SealiteDatabase
import SealiteMongo
import SealiteReplicator
import SealiteTestSupport
import SealiteTransportTestSupport
import SealiteValues
import SealiteRevisions
import Synchronization
import Testing

@testable import SealiteMobileSync

@Suite("the set of synced documents while it is synced")
struct SyncSetTests {
    private let server: MobileServer
    private let folder: TestFolder
    private let client: MobileClient

    init() async throws {
        (server, folder) = (try await MobileServer(), try TestFolder())
        client = try MobileClient(folder)
        await client.mobile.connect(to: try await server.remote())
    }

    private func revision(_ id: String) throws -> RevisionID? {
        try client.collection.collection.revisions(id: id).first?.id
    }

    private func end() async throws {
        try await client.close()
        await server.stop()
    }

    private func comes(_ condition: () async throws -> Bool) async throws -> Bool {
        try await eventually { try await condition() }
    }

    @Test("an empty set has no connection and brings nothing")
    func empty() async throws {
        try await server.documents.insertOne(["_id": "a"])
        try await client.configure { _, remote in remote.fullDocument }
        try await client.mobile.syncNow()
        await letTimePass(.milliseconds(50), because: "a connection that isn't made tells nobody")
        let count = await server.connectionCount
        #expect(count == 0)
        #expect(try await client.all().isEmpty)
        try await end()
    }

    @Test("ids that are added bring their documents alone, and what came before goes on")
    func added() async throws {
        try await server.documents.insertMany((0..<50).map { ["_id": .int32($0), "n": 0] })
        try await client.sync.syncMany([1, 2])
        try await client.configure { _, remote in remote.fullDocument }
        #expect(try await comes { try await client.all().count == 2 })
        try await client.sync.syncOne(7)
        #expect(try await comes { try await client.all().count == 3 })
        try await server.documents.updateMany([:], ["$set": ["n": 1]])
        #expect(
            try await comes { try await client.sync.count(["n": 1]) == 3 })
        try await client.sync.desyncMany([1, 2, 7])
        try await server.documents.updateMany([:], ["$set": ["n": 2]])
        try await client.sync.syncOne(2)
        #expect(try await comes { try await client.sync.findOne(["_id": 2])?["n"] == 2 })
        #expect(try await client.collection.countDocuments() == 1)
        try await client.settle()
        let told = Set(client.told.events.map(\.documentID))
        #expect(told == [1, 2, 7])
        try await end()
    }

    @Test("a collection that the remote doesn't have doesn't keep the others from being synced on demand")
    func failingCollections() async throws {
        await client.mobile.setFrequency(.onDemand)
        try await server.documents.insertOne(["_id": "a"])
        try await client.sync.syncOne("a")
        try await client.configure { _, remote in remote.fullDocument }
        // The order of collections is random: with seven of eight missing, one of them is nearly always before "docs".
        for number in 0..<7 {
            let missing: MongoCollection<MongoDocument> = try MongoStore(client.database).collection("missing\(number)")
            try await missing.sync.syncOne("a")
            try await missing.sync.configure { _, _, remote in remote.fullDocument }
        }
        await #expect(throws: ReplicatorError.self) { try await client.mobile.syncNow() }
        #expect(try await client.all().count == 1)
        try await end()
    }

    @Test("in passes at an interval, what is written goes with the next one")
    func scheduled() async throws {
        await client.mobile.setFrequency(.scheduled(every: .milliseconds(30)))
        try await client.configure { _, remote in remote.fullDocument }
        try await client.sync.insertOne(["_id": "a", "n": 1])
        #expect(try await comes { try await server.all().count == 1 })
        try await server.documents.updateOne([:], ["$set": ["n": 2]])
        #expect(try await comes { try await client.sync.findOne()?["n"] == 2 })
        try await end()
    }

    @Test("a collection that is configured while the sync stops is synced")
    func configuredWhileStopping() async throws {
        try await client.configure { _, remote in remote.fullDocument }
        let isHeld = Mutex(false)
        let release = DispatchSemaphore(value: 0)
        let holder = Task { [client] in
            try await client.database.write { _ in
                isHeld.withLock { $0 = true }
                release.wait()
            }
        }
        await eventually { isHeld.withLock { $0 } }
        // It notes that no events are to be kept, for which it waits.
        let configuration = Task { [client] in try await client.sync.configure(conflictHandler: nil) }
        await letTimePass(.milliseconds(20), because: "a call that waits for the writer tells nobody")
        await client.mobile.stop()
        release.signal()
        try await holder.value
        try await configuration.value
        try await client.sync.insertOne(["_id": "a"])
        #expect(try await comes { try await server.all().count == 1 })
        try await end()
    }

    @Test(
        "a sync that waits for the open connection ends when the remote goes, the frequency changes or the sync stops",
        .endsIfItHangs, arguments: ["remote", "network", "frequency", "interval", "stop"])
    func changedWhileWaiting(change: String) async throws {
        // The open connection is never answered; any later one is refused.
        let silent = try await RawServer.start { number, _, channel in
            if number > 0 { channel.end(byReset: false) }
        }
        let remote = MobileSyncRemote(try EndpointURL("ws://127.0.0.1:\(silent.port)/db")) { configuration in
            configuration.maxAttemptWaitTime = .milliseconds(20)
            configuration.maxAttempts = 2
        }
        await client.mobile.connect(to: remote)
        try await client.sync.insertOne(["_id": "a"])
        try await client.configure { _, remote in remote.fullDocument }
        await eventually("a connection") { !silent.requests.isEmpty }
        let waiting = Task { [client] in try await client.mobile.syncNow() }
        await letTimePass(.milliseconds(20), because: "a call that waits for the connection tells nobody")
        switch change {
        case "remote": await client.mobile.connect(to: nil)
        case "network": await client.mobile.setOnline(false)
        case "frequency": await client.mobile.setFrequency(.onDemand)
        case "interval": await client.mobile.setFrequency(.scheduled(every: .seconds(3600)))
        default: await client.mobile.stop()
        }
        switch (change, await waiting.result) {
        case ("stop", .success): break
        case ("frequency", .failure(is ReplicatorError)), ("interval", .failure(is ReplicatorError)): break
        case ("remote", .failure(let error as MobileSyncError)): #expect(error.code == .notConfigured)
        case ("network", .failure(let error as MobileSyncError)): #expect(error.code == .stopped)
        case (_, let result): Issue.record("\(result)")
        }
        try await end()
        try await silent.stop()
    }

    @Test("an error of the local database is told with its reason")
    func localError() async throws {
        await client.mobile.setOnline(false)
        try await client.sync.syncOne("a")
        try await client.configure { _, remote in remote.fullDocument }
        let name = "\(client.collection.collection.number)"
        try client.database.setLocalValue(store: "sync", name: name, value: [9])
        let error = #expect(throws: DatabaseError.self) { try client.documents.space() }
        await client.mobile.setOnline(true)
        #expect(try await comes { !client.told.errors.isEmpty })
        let reason = "an error of the local database: \(error?.reason ?? "")"
        #expect(client.told.errors.first?.error == MobileSyncError(.stopped, reason))
        try await end()
    }

    @Test("a version that Stitch has set arrives unseen, and its number goes on")
    func versions() async throws {
        try await server.documents.insertOne([
            "_id": "a", "n": 1, "__stitch_sync_version": ["spv": 1, "id": "x", "v": 4],
        ])
        try await client.sync.syncOne("a")
        try await client.configure { _, remote in remote.fullDocument }
        #expect(try await comes { try await client.all().count == 1 })
        let arrived = try await client.collection.findOne(["_id": "a"])
        #expect(arrived == ["_id": "a", "n": 1])
        try await client.sync.updateOne(["_id": "a"], ["$set": ["n": 2, "__stitch_sync_version.v": 40]])
        #expect(
            try await comes { try await server.documents.countDocuments(["n": 2, "__stitch_sync_version.v": 5]) == 1 })
        // An outside writer that removes the field has changed the document.
        try await server.documents.updateOne([:], ["$set": ["n": 3], "$unset": ["__stitch_sync_version": 1]])
        #expect(try await comes { try await client.sync.findOne()?["n"] == 3 })
        try await client.sync.updateOne([:], ["$set": ["n": 4]])
        #expect(try await comes { try await server.documents.findOne() == ["_id": "a", "n": 4] })
        try await end()
    }

    private struct Note: Codable {
        var _id: String
        var text: String
    }

    @Test("a change whose document can't be read as the application's type is told as an error, and others as ever")
    func unreadable() async throws {
        try await server.documents.insertMany([["_id": "a", "text": 7], ["_id": "b", "text": "x"]])
        let notes: MongoCollection<Note> = try MongoStore(client.database).collection(
            "docs", as: Note.self)
        let told = client.told
        try await notes.sync.syncMany(["a", "b"])
        let events = Mutex<[String]>([])
        try await notes.sync.configure { _, _, remote in
            remote.fullDocument
        } changeEventDelegate: { _, event in
            events.withLock { $0.append(event.fullDocument?.text ?? "") }
        } errorListener: { error, id in
            told.add(error, id)
        }
        try await client.mobile.syncNow()
        try await client.settle()
        #expect(events.withLock { $0 } == ["x"])
        #expect(told.errors.map(\.error.code) == [.unreadableDocument])
        #expect(told.errors.first?.id == "a")
        // It isn't told again, and the document is synced as before.
        try await server.documents.updateOne(["_id": "a"], ["$set": ["text": "y"]])
        #expect(try await comes { events.withLock { $0 } == ["x", "y"] })
        #expect(told.errors.count == 1)
        try await end()
    }

    @Test("a refusal pauses the revision that was refused, and none that is newer")
    func refusals() async throws {
        try await client.sync.insertMany([["_id": "a"], ["_id": "b"]])
        let old = try #require(try revision("b"))
        try await client.sync.updateOne(["_id": "b"], ["$set": ["n": 1]])
        let current = try #require(try revision("a"))
        let selection = MobileSelection(client.documents, SyncSessions(client.documents), isLookup: false)
        try selection.refused([
            Refusal(documentID: "a", version: Version(current), sequence: 1, domain: "HTTP", code: 403, reason: "no"),
            Refusal(documentID: "b", version: Version(old), sequence: 2, domain: "HTTP", code: 403, reason: "no"),
        ])
        #expect(try await client.sync.pausedIds == ["a"])
        #expect(try selection.selects(["a", "b", "c"]) == [false, true, false])
        try await end()
    }

    @Test("a document that couldn't be stored is paused, told once, and resumed by the lookup that brings it")
    func notStored() async throws {
        let told = client.told
        try await client.configure { _, remote in remote.fullDocument }
        try await client.sync.syncOne("a")
        try await client.mobile.syncNow()
        let selection = MobileSelection(client.documents, SyncSessions(client.documents), isLookup: false)
        var refusal = Refusal(
            documentID: "a", version: Version("1-aa"), sequence: 0, domain: "HTTP", code: 400, reason: "too deep")
        refusal.side = .local
        for _ in 0..<2 { try selection.refused([refusal]) }
        #expect(try await client.sync.pausedIds == ["a"])
        #expect(try selection.selects(["a"]) == [true])
        try await client.settle()
        #expect(told.errors.map(\.error.code) == [.notStored])
        #expect(told.errors.first?.error.reason == "too deep; the document is paused")
        try await server.documents.insertOne(["_id": "a", "n": 1])
        try await client.mobile.syncNow()
        #expect(try await comes { try await client.sync.pausedIds.isEmpty })
        #expect(try await client.sync.findOne(["_id": "a"])?["n"] == 1)
        // A pause whose document isn't at the remote ends with the next lookup.
        refusal.documentID = "gone"
        try await client.sync.syncOne("gone")
        try selection.refused([refusal])
        #expect(try await client.sync.pausedIds == ["gone"])
        #expect(try await client.sync.resumeSync(forDocumentID: "gone"))
        #expect(try await client.sync.pausedIds.isEmpty)
        try selection.refused([refusal])
        try client.documents.askAgain()
        #expect(try await comes { try await client.sync.pausedIds.isEmpty })
        try await end()
    }

    @Test("a document whose access is lost is told as deleted, with the reason")
    func accessLost() async throws {
        try await server.documents.insertOne(["_id": "a"])
        try await client.configure { _, remote in remote.fullDocument }
        try await client.sync.syncOne("a")
        #expect(try await comes { try await client.all().count == 1 })
        let isRemoved = try MobileSelection(client.documents, SyncSessions(client.documents), isLookup: false)
            .lostAccess("a")
        #expect(isRemoved)
        try await client.settle()
        #expect(client.told.events.last?.operationType == .delete)
        #expect(client.told.errors.map(\.error.code) == [.accessLost])
        #expect(try await client.sync.syncedIds.isEmpty)
        try await end()
    }

    @Test("a document with changes that the remote doesn't have is kept and paused when its access is lost")
    func accessLostUnsent() async throws {
        try await client.sync.insertOne(["_id": "a", "n": 1])
        let selection = MobileSelection(client.documents, SyncSessions(client.documents), isLookup: false)
        #expect(try !selection.lostAccess("a"))
        // A Stitch version that can't be read takes nothing away either.
        try await client.sync.insertOne(["_id": "b"])
        #expect(try selection.incoming("b", Array(#"{"__stitch_sync_version":7}"#.utf8), isDeleted: false) == nil)
        try await client.settle()
        #expect(try await client.sync.pausedIds == ["a", "b"])
        #expect(try await client.sync.findOne(["_id": "a"])?["n"] == 1)
        #expect(try await client.sync.uncommittedIds == ["a", "b"])
        try await client.configure { _, remote in remote.fullDocument }
        try await client.settle()
        #expect(client.told.errors.map(\.error.code) == [.accessLost, .decodingError])
        #expect(!client.told.events.contains { $0.operationType == .delete })
        try await end()
    }
}
