@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Foundation
import Testing
import SealiteRevisions

@Suite("the active session against recorded Sync Gateways")
struct ScriptedServerTests {
    @Test("the same documents go the same way as between the recorded peers", arguments: ScriptedServer.recordings)
    func sameAsRecorded(_ name: String) throws {
        let recording = try Recording(name)
        let stores = try ScriptedRun.stores(recording)
        let active = try SessionNode(ActiveSession(recording.configuration()), stores)
        let server = try ScriptedServer(recording)
        active.start()
        try ScriptedRun.run(active, server)
        #expect(active.closed?.code == 1_000 && active.closed?.error == nil)
        #expect(server.unexpected == [])
        try expectPushed(recording, server)
        try expectPulled(recording, server, stores)
        try expectErrors(recording, active)
        try expectCheckpoint(recording, server)
    }

    /// The server was sent what the recorded one was sent.
    private func expectPushed(_ recording: Recording, _ server: ScriptedServer) throws {
        let recorded = try recording.revisions(fromActive: true).map(\.message)
        let name = { (revision: RevisionRequest) in
            "\(revision.collection ?? 0) \(revision.documentID) \(revision.version)"
        }
        #expect(server.revisions.map(name).sorted() == recorded.map(name).sorted())
        for revision in server.revisions {
            let same = try #require(recorded.first { name($0) == name(revision) })
            #expect(revision.history == same.history && revision.isDeleted == same.isDeleted, "\(revision.documentID)")
            #expect(revision.sequence == same.sequence && revision.isConflictRefused, "\(revision.documentID)")
            #expect(Recording.isSameJSON(revision.body, same.body), "\(String(decoding: revision.body, as: UTF8.self))")
        }
        let contents = recording.attachments(fromActive: true)
        #expect(server.attachments.count == contents.count)
        for (digest, content) in contents { #expect(server.attachments[digest.description] == content) }
        #expect(!server.proofs.contains("wrong"))
    }

    /// The database has what the recorded one was sent, and nothing else was asked for.
    private func expectPulled(_ recording: Recording, _ server: ScriptedServer, _ stores: [MemoryStore]) throws {
        for (_, row, item) in try recording.announcements() {
            let answer = server.answers["\(row.documentID) \(row.sequence.json)"]
            switch (item, answer) {
            case (.send(let recorded), .send(let ours)?):
                #expect(Set(recorded) == Set(ours), "\(row.documentID)")
            case (.skip, .skip?): break
            default: Issue.record("\(row.documentID): \(item) was answered with \(String(describing: answer))")
            }
            if row.flags.isAccessRemoved { #expect(stores.allSatisfy { $0.documents[row.documentID] == nil }) }
        }
        for (revision, _) in try recording.revisions(fromActive: false) {
            let store = stores[revision.collection ?? 0]
            let document = try #require(store.documents[revision.documentID])
            let stored = try #require(document.revisions[revision.version])
            #expect(stored.isDeleted == revision.isDeleted)
            #expect(Recording.isSameJSON(stored.body ?? [], MemoryAttachments.stripped(from: revision.body)))
            #expect(document.remote == revision.version)
        }
        for (digest, content) in recording.attachments(fromActive: false) {
            #expect(stores.contains { $0.attachments[digest] == content })
        }
    }

    /// Documents that the recorded server refused are reported, and no others.
    private func expectErrors(_ recording: Recording, _ active: SessionNode<ActiveSession>) throws {
        var refused: Set<String> = []
        for (revision, reply) in try recording.revisions(fromActive: true) where reply?.type == .error {
            refused.insert(revision.documentID)
        }
        for (_, row, item) in try recording.proposals() where item.status == 409 { refused.insert(row.documentID) }
        #expect(Set(active.errors.keys) == refused)
        // Nobody is told twice.
        #expect(active.events.filter { $0.error != nil }.count == refused.count)
    }

    /// The last checkpoint that was saved says the same as the recorded one.
    private func expectCheckpoint(_ recording: Recording, _ server: ScriptedServer) throws {
        for client in try recording.configuration().collections.map(\.checkpointID) {
            let recorded = recording.requests(.setCheckpoint, fromActive: true).last {
                $0.properties["client"] == client
            }
            guard let recorded else { continue }
            let expected = try Checkpoint(json: recorded.body, limits: Recording.limits)
            let saved = try #require(server.stored(client), "\(client)")
            #expect(try Checkpoint(json: saved.body, limits: Recording.limits).remote == expected.remote, "\(client)")
        }
    }

    @Test("an older server without collections is served without them", arguments: ["4.1.1", "3.3.7"])
    func legacyPull(_ version: String) throws {
        let recording = try Recording("sync-gateway-\(version)/pull_v2")
        let store = MemoryStore()
        let active = try SessionNode(ActiveSession(.one(push: false)), [store])
        let server = try ScriptedServer(recording, isLegacy: true)
        active.start()
        try ScriptedRun.run(active, server)
        #expect(active.closed?.code == 1_000 && active.closed?.error == nil)
        #expect(active.session.isLegacy && server.unexpected == [])
        #expect(server.profiles.prefix(3) == ["getCollections", "getCheckpoint", "subChanges"])
        let revisions = try recording.revisions(fromActive: false).map(\.message)
        #expect(revisions.count == 6 && store.documents.count == 6)
        for revision in revisions {
            #expect(store.documents[revision.documentID]?.current == revision.version)
            #expect(store.isDeleted(revision.documentID) == revision.isDeleted)
        }
        // The revision with the attachment was answered only after that was there.
        #expect(store.attachments.count == 1 && active.fetchedCount == 1)
        #expect(server.answeredRevisions.values.allSatisfy { $0.error == nil })
        #expect(
            active.sent.allSatisfy {
                $0.properties["Profile"] == "getCollections" || $0.properties["collection"] == nil
            })
    }

    @Test("access that is lost purges a document, and access that returns brings it back", arguments: [false, true])
    func revocation(writesLate: Bool) throws {
        let recording = try Recording("sync-gateway-4.1.1/revocation")
        let store = MemoryStore()
        let active = try SessionNode(ActiveSession(.one(push: false, isContinuous: true)), [store])
        active.writesLate = writesLate
        let server = try ScriptedServer(recording, isLegacy: true)
        active.start()
        try ScriptedRun.run(active, server)
        #expect(active.closed == nil && server.unexpected == [])
        #expect(active.session.status.activity == .idle)
        let lost = active.events.filter(\.isAccessRemoved).map(\.documentID)
        #expect(lost == ["revk-10116-2", "revk-10116-1"])
        #expect(store.documents.keys.sorted() == ["revk-10116-1", "revk-10116-3"])
        let saved = try #require(server.savedCheckpoints.last)
        #expect(try Checkpoint(json: saved, limits: Recording.limits).remote?.json == "\"133:125\"")
    }

    @Test("who purges nothing is told of lost access, and keeps the documents")
    func revocationWithoutPurge() throws {
        let recording = try Recording("sync-gateway-4.1.1/revocation")
        var configuration = SessionConfiguration.one(push: false, isContinuous: true)
        configuration.isAutoPurging = false
        let store = MemoryStore()
        let active = try SessionNode(ActiveSession(configuration), [store])
        let server = try ScriptedServer(recording, isLegacy: true)
        active.start()
        try ScriptedRun.run(active, server)
        let subscription = active.sent.first { $0.properties["Profile"] == "subChanges" }
        #expect(subscription?.properties["revocations"] == "true")
        #expect(active.events.filter(\.isAccessRemoved).map(\.documentID) == ["revk-10116-2", "revk-10116-1"])
        #expect(store.documents.keys.sorted() == ["revk-10116-1", "revk-10116-2", "revk-10116-3"])
    }

    @Test("a body that says it was removed purges the document under CBMobile_2")
    func removedBody() throws {
        let recording = try Recording("sync-gateway-4.1.1/revocation", connection: 2)
        let store = MemoryStore()
        let active = try SessionNode(ActiveSession(.one(push: false, isContinuous: true)), [store])
        let server = try ScriptedServer(recording, isLegacy: true)
        active.start()
        try ScriptedRun.run(active, server)
        #expect(active.closed == nil && server.unexpected == [])
        // A document that is announced twice is stored in the order of its announcements, beside the other one.
        let removed = active.events.filter(\.isAccessRemoved).compactMap(\.documentID)
        #expect(removed.sorted() == ["revk-10116-1", "revk-10116-2"])
        #expect(store.documents.keys.sorted() == ["revk-10116-1", "revk-10116-3"])
    }

    @Test("a continuous pull goes on after it caught up")
    func continuousPull() throws {
        let recording = try Recording("sync-gateway-4.1.1/pull_continuous")
        let store = MemoryStore()
        let active = try SessionNode(ActiveSession(.one(push: false, isContinuous: true)), [store])
        let server = try ScriptedServer(recording, isLegacy: true)
        active.start()
        try ScriptedRun.run(active, server)
        #expect(active.closed == nil)
        for (revision, _) in try recording.revisions(fromActive: false) {
            let isStored = store.documents[revision.documentID]?.revisions[revision.version] != nil
            #expect(isStored, "\(revision.documentID)")
        }
    }

    @Test("a database that goes offline is a passing failure: the replicator waits and tries again")
    func offline() throws {
        let recording = try Recording("sync-gateway-4.1.1/database_offline")
        let active = try SessionNode(ActiveSession(.one(pull: false, isContinuous: true)), [MemoryStore()])
        let server = try ScriptedServer(recording, isLegacy: true)
        active.start()
        try ScriptedRun.run(active, server)
        active.disconnect()
        #expect(active.closed == nil)
        // The connection is cut without a close frame, and then the upgrade is answered with 503.
        var policy = RetryPolicy(isContinuous: true)
        #expect(policy.wait(after: SessionError(.webSocket(1_006), "")) == .seconds(2))
        #expect(policy.wait(after: SessionError(.http(503), "")) == .seconds(4))
        policy.progressed()
        #expect(policy.wait(after: SessionError(.http(503), "")) == .seconds(2))
        #expect(policy.wait(after: SessionError(.http(401), "")) == nil)
    }
}
