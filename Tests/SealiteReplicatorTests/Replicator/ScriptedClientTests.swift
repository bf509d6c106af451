@testable import SealiteProtocolTestSupport
@testable import SealiteProtocol
import Foundation
import SealiteDatabase
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("the passive session against a recorded Couchbase Lite")
struct ScriptedClientTests {
    static let names = [
        "push_first", "push_incremental", "push_nothing", "push_reset", "push_reset_batches", "push_large_doc",
        "pull_first", "pull_incremental", "pull_nothing", "pull_doc_ids", "pull_large_doc", "pull_reset_batches",
        "both",
        "both_reset", "both_empty", "collections_push", "collections_pull", "collections_both",
        "collections_both_again",
        "collections_default_only", "blobs_push", "blobs_pull", "blobs_push_kept", "conflict_push", "conflict_both",
        "pull_channels_refused", "auth",
    ].map { "couchbase-lite-core/passive-revtrees/\($0)" }

    @Test("the client is answered and sent what the recorded peer answered and sent", arguments: names)
    func sameAsRecorded(_ name: String) throws {
        let recording = try Recording(name)
        let stores = try ScriptedClient.stores(recording)
        if name.hasSuffix("_kept") {
            // The blob came in the session before.
            let before = try Recording(name.replacingOccurrences(of: "_kept", with: ""))
            for store in stores { store.attachments.merge(before.attachments(fromActive: true)) { $1 } }
        }
        let paths = try recording.configuration().collections.map(\.path)
        let passive = try SessionNode(PassiveSession(.init(collections: paths)), stores)
        let client = try ScriptedClient(recording)
        #expect(try client.run(passive) == [])
        #expect(passive.closed == nil)
        for (request, reply) in client.replies { try expectSame(request, reply, recording) }
        let expected = recording.messages.filter {
            $0.isFromActive && $0.type == .request && !$0.flags.contains(.noReply)
        }
        #expect(client.replies.count == expected.count)
        try expectSent(recording, client)
        try expectStored(recording, stores)
    }

    private func expectSame(_ request: RecordedMessage, _ reply: BLIPReply, _ recording: Recording) throws {
        let recorded = try #require(recording.messages.reply(to: request)?.reply, "\(request.properties)")
        #expect(reply.error?.domain == recorded.error?.domain, "\(request.properties)")
        #expect(reply.error?.code == recorded.error?.code, "\(request.properties)")
        guard recorded.error == nil else { return }
        switch request.profile {
        case .proposeChanges?:
            let items = try [reply, recorded].map { try ProposeChangesReply($0, limits: Recording.limits).items }
            #expect(items[0] == items[1])
        case .getCollections?: #expect(Recording.isSameJSON(reply.body, recorded.body) || sameItems(reply, recorded))
        case .rev?: #expect(reply.body.isEmpty)
        default:
            #expect(reply.body == recorded.body, "\(request.properties)")
            #expect(reply.properties["rev"] == recorded.properties["rev"], "\(request.properties)")
        }
    }

    private func sameItems(_ left: BLIPReply, _ right: BLIPReply) -> Bool {
        let arrays = [left, right].map { try? JSONSerialization.jsonObject(with: Data($0.body)) as? NSArray }
        return arrays[0] == arrays[1]
    }

    /// The session announced and sent what the recorded peer did.
    private func expectSent(_ recording: Recording, _ client: ScriptedClient) throws {
        let ours = client.requests
        for recorded in recording.messages where !recorded.isFromActive && recorded.type == .request {
            let key = ScriptedClient.key(recorded.request)
            let same = try #require(ours.first { ScriptedClient.key($0) == key }, "\(key)")
            #expect(same.wantsReply == !recorded.flags.contains(.noReply), "\(key)")
            switch recorded.profile {
            case .changes?:
                let rows = try [same, recorded.request].map { try ChangesRequest($0, limits: Recording.limits).rows }
                #expect(rows[0].map(\.sequence) == rows[1].map(\.sequence))
                #expect(rows[0].map(\.flags) == rows[1].map(\.flags))
            case .rev?:
                let revisions = try [same, recorded.request].map { try RevisionRequest($0, limits: Recording.limits) }
                let histories = revisions.map { $0.history.replacing(" ", with: "") }
                #expect(histories[0] == histories[1] && revisions[0].isDeleted == revisions[1].isDeleted)
                #expect(revisions[0].sequence == revisions[1].sequence)
                #expect(Recording.isSameJSON(revisions[0].body, revisions[1].body), "\(key)")
            default: break
            }
        }
        let count = recording.messages.filter { !$0.isFromActive && $0.type == .request && $0.profile != .changes }
            .count
        #expect(ours.filter { $0.profile != "changes" }.count == count)
    }

    /// The databases have what the recorded peer accepted.
    private func expectStored(_ recording: Recording, _ stores: [MemoryStore]) throws {
        for (revision, reply) in try recording.revisions(fromActive: true) where reply?.type == .reply {
            let document = try #require(stores[revision.collection ?? 0].documents[revision.documentID])
            let stored = try #require(document.revisions[revision.version])
            #expect(stored.isDeleted == revision.isDeleted)
            #expect(Recording.isSameJSON(stored.body ?? [], revision.body))
        }
        for (digest, content) in recording.attachments(fromActive: true) {
            #expect(stores.contains { $0.attachments[digest] == content })
        }
    }

    /// Those whose database can be made as it was: what a peer pulls has the recorded sequences, so that what it is known to
    /// have had besides, of which the recording says nothing, must not be announced.
    static let sealedNames = (names + names.map { $0.replacing("revtrees", with: "vv") }).filter { name in
        guard let recording = try? Recording(name), let stores = try? ScriptedClient.stores(recording) else {
            return true
        }
        let isPulled = !recording.requests(.subChanges, fromActive: true).isEmpty
        return !isPulled || stores.allSatisfy { $0.documents.values.allSatisfy { $0.sequence > 0 } }
    }

    @Test("most recordings can be played to a sealed database")
    func sealedCount() { #expect(Self.sealedNames.count > 30) }

    @Test("with a sealed database behind it the session says the same", arguments: sealedNames)
    func sealed(_ name: String) throws {
        let recording = try Recording(name)
        let paths = try recording.configuration().collections.map(\.path)
        let isVector = name.contains("-vv/")
        let test = try SyncDatabase(versioning: isVector ? .vectors : .trees)
        let collections = try test.collections(paths)
        try ScriptedClient.seed(test, collections, recording)
        if name.hasSuffix("_kept") {
            let before = try Recording(name.replacingOccurrences(of: "_kept", with: ""))
            let store = SealedStore(test, collections[0], role: .passive)
            // A document that the peer may read refers to what it does not send again.
            for (digest, content) in before.attachments(fromActive: true) {
                try store.store(content, as: digest)
                try test.save(
                    "before \(digest)", #"{"p":{"@type":"blob","digest":"\#(digest)"}}"#, in: collections[0])
            }
        }
        let stores = collections.map { SealedStore(test, $0, role: .passive) }
        let passive = try SessionNode(PassiveSession(.init(collections: paths, hasVectors: isVector)), stores)
        let client = try ScriptedClient(recording)
        #expect(try client.run(passive) == [])
        #expect(passive.closed == nil)
        for (request, reply) in client.replies { try expectSame(request, reply, recording) }
        try expectSent(recording, client)
        for (revision, reply) in try recording.revisions(fromActive: true) where reply?.type == .reply {
            let collection = collections[revision.collection ?? 0]
            let info = try collection.revisions(id: revision.documentID).first {
                $0.id.description == "\(revision.version)"
            }
            #expect(info?.isDeleted == revision.isDeleted, "\(revision.documentID)")
            guard info?.isCurrent == true, !revision.isDeleted else { continue }
            let json = try collection.document(id: revision.documentID)?.toJSON() ?? ""
            #expect(Recording.isSameJSON(Array(json.utf8), revision.body), "\(revision.documentID)")
        }
        for (digest, content) in recording.attachments(fromActive: true) {
            #expect(try stores[0].content(digest) == content)
        }
        #expect(try test.findings.isEmpty)
    }
}
