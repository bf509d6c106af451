import SealiteDatabase
import SealiteMongo
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMobileSync

@Suite("per-document sync with a Sync Gateway")
struct GatewayTests {
    private let gateway: ScriptedGateway
    private let folder: TestFolder
    private let client: MobileClient

    init() async throws {
        (gateway, folder) = (try await ScriptedGateway.start(), try TestFolder())
        client = try MobileClient(folder)
        await client.mobile.connect(to: try gateway.remote())
    }

    private func end() async throws {
        try await client.close()
        await gateway.stop()
        let unexpected = gateway.read { $0.unexpected }
        #expect(unexpected == [])
    }

    private func answers(_ wanted: String) -> Int {
        gateway.read { content in content.answers.count { $0 == wanted } }
    }

    private func comes(_ id: String, _ document: MongoDocument?) async throws -> Bool {
        try await eventually { try gateway.all()["\(BSON.string(id))"] == document }
    }

    /// Syncs a document that the gateway has, until it is here.
    private func follow(_ id: String, _ document: MongoDocument) async throws {
        try gateway.insert(document)
        try await client.sync.syncOne(.string(id))
        let isHere = try await eventually { try await client.sync.findOne(["_id": .string(id)]) == document }
        #expect(isHere)
    }

    @Test("a document that the sync function refuses is paused, told once, offered no more, and others go on")
    func refusedBySyncFunction() async throws {
        gateway.change { $0.refusal = { $0 == "a" ? "sg missing channel access" : nil } }
        try await client.configure { _, remote in remote.fullDocument }
        try await client.sync.insertMany([["_id": "a", "n": 1], ["_id": "b", "n": 1]])
        #expect(try await comes("b", ["_id": "b", "n": 1]))
        #expect(try await eventually { try await client.sync.pausedIds == ["a"] })
        try await client.sync.updateOne(["_id": "b"], ["$set": ["n": 2]])
        #expect(try await comes("b", ["_id": "b", "n": 2]))
        try await client.mobile.syncNow()
        try await client.settle()
        #expect(client.told.errors.map(\.error.code) == [.remoteRefused])
        #expect(client.told.errors.first?.id == "a")
        #expect(client.told.errors.first?.error.reason.contains("HTTP 403: sg missing channel access;") == true)
        // A replicator tries once more when all else is sent, which may have given access.
        #expect(answers("rev 403") == 2)
        // A write is a reason to try again, and to be told again.
        try await client.sync.updateOne(["_id": "a"], ["$set": ["n": 2]])
        #expect(await eventually { answers("rev 403") == 3 })
        #expect(try await eventually { try await client.sync.pausedIds == ["a"] })
        gateway.change { $0.refusal = nil }
        try await client.sync.resumeSync(forDocumentID: "a")
        #expect(try await comes("a", ["_id": "a", "n": 2]))
        #expect(try await eventually { try await client.sync.uncommittedIds.isEmpty })
        try await client.settle()
        #expect(client.told.errors.count == 2)
        let committed = client.told.events.filter { $0.documentID == "a" && !$0.hasUncommittedWrites }
        #expect(committed.map(\.operationType) == [.insert])
        try await end()
    }

    @Test("a conflict is one whether the gateway names its revision, doesn't, or finds out last", arguments: [0, 1, 2])
    func conflicts(form: Int) async throws {
        try await client.configure { local, remote in
            var both = remote.fullDocument ?? [:]
            both["mine"] = local.fullDocument?["n"]
            return both
        }
        try await follow("a", ["_id": "a", "n": 0])
        if form == 2 {
            gateway.change { $0.meanwhile = ("a", #"{"n":9}"#) }
        } else {
            await client.mobile.setOnline(false)
            gateway.change { content in
                content.namesConflicts = form == 0
                content.write("a", #"{"n":9}"#)
            }
        }
        try await client.sync.updateOne(["_id": "a"], ["$set": ["n": 1]])
        await client.mobile.setOnline(true)
        let merged: MongoDocument = ["_id": "a", "n": 9, "mine": 1]
        #expect(try await comes("a", merged))
        #expect(try await eventually { try await client.sync.uncommittedIds.isEmpty })
        #expect(try await client.sync.findOne() == merged)
        try await client.settle()
        #expect(client.told.errors.isEmpty)
        #expect(client.told.conflicts.count == 1)
        #expect(client.told.conflicts.first?.remote.fullDocument == ["_id": "a", "n": 9])
        #expect(form != 2 || answers("rev 409") == 1)
        try await end()
    }

    @Test("a document to which access is lost goes with its unsent write, and comes again where it is synced again")
    func revoked() async throws {
        try await client.configure { _, remote in remote.fullDocument }
        try await follow("a", ["_id": "a", "n": 1])
        try await follow("b", ["_id": "b", "n": 1])
        gateway.change { $0.setAccess("a", false) }
        #expect(try await eventually { try await client.sync.syncedIds == ["b"] })
        try await client.settle()
        #expect(try await client.all() == ["\(BSON.string("b"))": ["_id": "b", "n": 1]])
        #expect(client.told.events.last?.operationType == .delete)
        #expect(client.told.events.last?.documentID == "a")
        #expect(client.told.errors.map(\.error.code) == [.accessLost])
        // The gateway announces it again, but nobody here asked for it.
        gateway.change { $0.setAccess("a", true) }
        try gateway.update(["_id": "b"], ["$set": ["n": 2]])
        #expect(try await eventually { try await client.sync.findOne(["_id": "b"])?["n"] == 2 })
        #expect(try await client.sync.findOne(["_id": "a"]) == nil)
        try await client.sync.syncOne("a")
        #expect(try await eventually { try await client.sync.findOne(["_id": "a"])?["n"] == 1 })
        #expect(try gateway.all().count == 2)
        try await end()
    }

    @Test("a remote that is set again with another login is connected to with that one at once")
    func loginChanges() async throws {
        try await client.configure { _, remote in remote.fullDocument }
        try await follow("a", ["_id": "a", "n": 1])
        await client.mobile.connect(to: try gateway.remote(for: "bob"))
        #expect(await eventually { gateway.hasSeen("bob") })
        try await client.sync.updateOne(["_id": "a"], ["$set": ["n": 2]])
        #expect(try await comes("a", ["_id": "a", "n": 2]))
        try await end()
    }

    @Test("in passes at an interval, a login that ends is told once of no document, and the passes go on")
    func loginEndsBetweenPasses() async throws {
        await client.mobile.setFrequency(.scheduled(every: .milliseconds(30)))
        try await client.configure { _, remote in remote.fullDocument }
        try await follow("a", ["_id": "a", "n": 1])
        await gateway.setLogin(false)
        try await client.sync.updateOne(["_id": "a"], ["$set": ["n": 2]])
        #expect(await eventually { !client.told.errors.isEmpty })
        await gateway.setLogin(true)
        #expect(try await comes("a", ["_id": "a", "n": 2]))
        #expect(client.told.errors.map(\.error.code) == [.stopped])
        #expect(client.told.errors.first?.id == nil)
        try await end()
    }

    @Test("a login that ends stops the sync, which is told once of no document, and goes on with a new one")
    func loginEnds() async throws {
        try await client.configure { _, remote in remote.fullDocument }
        try await follow("a", ["_id": "a", "n": 1])
        await gateway.setLogin(false)
        try await client.sync.updateOne(["_id": "a"], ["$set": ["n": 2]])
        #expect(await eventually { !client.told.errors.isEmpty })
        #expect(client.told.errors.map(\.error.code) == [.stopped])
        #expect(client.told.errors.first?.id == nil)
        #expect(try await client.sync.pausedIds.isEmpty)
        #expect(try await client.sync.uncommittedIds == ["a"])
        await gateway.setLogin(true)
        try await client.mobile.syncNow()
        #expect(try await comes("a", ["_id": "a", "n": 2]))
        #expect(try await eventually { try await client.sync.uncommittedIds.isEmpty })
        #expect(client.told.errors.count == 1)
        try await end()
    }
}
