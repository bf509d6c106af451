@testable import SealiteProtocol
import Foundation
import SealiteDatabase
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("the database as sessions ask it")
struct CollectionStoreTests {
    let test: SyncDatabase
    var store: CollectionStore

    init() throws {
        test = try SyncDatabase()
        store = CollectionStore(
            collection: test.collection, role: .active(remote: try test.database.remoteNumber("ws://127.0.0.1/db")))
    }

    private func scan(_ ids: [String]? = nil, after: UInt64 = 0, limit: Int = 100, activeOnly: Bool = false)
        -> ChangePage?
    {
        let scan = ChangeScan(
            after: after, limit: limit, documentIDs: ids, activeOnlyThrough: activeOnly ? .max : 0, isForPush: true)
        guard case .changes(let page) = store.perform(.scan(scan)) else { return nil }
        return page
    }

    private func insert(_ id: String, _ revision: String, _ body: String) -> RevisionOutcome? {
        let revision = IncomingRevision(
            documentID: id, version: Version(revision), history: [], isDeleted: false,
            isConflictRefused: false, body: Array(body.utf8))
        guard case .inserted(let outcomes) = store.perform(.insert([revision], given: GivenAttachments())) else {
            return nil
        }
        return outcomes.first
    }

    @Test("an expired document is passed over, and its sequence with it")
    func expired() throws {
        try test.save("a", "{}")
        try test.collection.setDocumentExpiration(id: "a", expiration: Date(timeIntervalSince1970: 1))
        let last = try test.save("b", "{}").sequence
        let page = try #require(scan())
        #expect(page.changes.map(\.documentID) == ["b"] && page.scannedThrough == last && page.isEnd)
    }

    @Test("pages end where they are full, and what is left out does not fill them")
    func pages() throws {
        for index in 0..<20 { try test.save("d\(index)", "{}") }
        let first = try #require(scan(limit: 5))
        #expect(first.changes.count == 5 && !first.isEnd && first.scannedThrough == 5)
        let rest = try #require(scan(["d3", "d17", "d19"], after: first.scannedThrough, limit: 2))
        #expect(rest.changes.map(\.documentID) == ["d17", "d19"])
        try test.delete("d19")
        #expect(scan(["d17", "d19"], activeOnly: true)?.changes.map(\.documentID) == ["d17"])
    }

    @Test("only the tombstones from before the first page are left out of the following pages")
    func tombstones() throws {
        for id in ["old", "a", "b"] { try test.save(id, "{}") }
        try test.delete("old")
        let first = try #require(scan(limit: 1, activeOnly: true))
        #expect(first.changes.map(\.documentID) == ["a"] && first.activeOnlyThrough == 4)
        try test.delete("a")
        let rest = ChangeScan(
            after: first.scannedThrough, limit: 9, activeOnlyThrough: first.activeOnlyThrough, isForPush: false)
        guard case .changes(let page) = store.perform(.scan(rest)) else {
            Issue.record("not searched")
            return
        }
        #expect(page.changes.map(\.documentID) == ["b", "a"] && page.activeOnlyThrough == 4 && page.isEnd)
    }

    @Test("a revision to send names each of its references to attachments")
    func references() throws {
        let blob = #"{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}"#
        let revision = try test.save("a", #"{"p":[\#(blob),\#(blob)],"q":\#(blob)}"#).revisionID
        let query = RevisionQuery(
            documentID: "a", version: Version(revision), knownAncestors: [], maxHistory: 1,
            listsAttachments: false,
            allowsReplacement: false)
        guard case .revisions(let loaded) = store.perform(.loadRevisions([query])),
            case .found(let found)? = loaded.first
        else {
            Issue.record("not found")
            return
        }
        #expect(
            found.attachments.map(\.description) == [String](repeating: "sha1-ArH2IhJgRp/90GRqSAdAfa750BE=", count: 3))
    }

    @Test("a refused document that has expired since is not offered again")
    func expiredRefusal() throws {
        for id in ["a", "b"] { try test.save(id, "{}") }
        let changes = try #require(scan()).changes
        let refusals = changes.map { Refusal($0, SessionError(.http(403), "no")) }
        #expect(store.perform(.recordRefusals(refusals)) == .refusalsRecorded(left: []))
        try test.collection.setDocumentExpiration(id: "a", expiration: Date(timeIntervalSince1970: 1))
        let wanted = ChangeScan(after: 0, limit: 10, documentIDs: nil, isForPush: true)
        guard case .changes(let page) = store.perform(.loadRefused(wanted)) else {
            Issue.record("not loaded")
            return
        }
        #expect(page.changes.map(\.documentID) == ["b"])
    }

    @Test("a refused change is proposed again only if the push filter lets the document's current revision through")
    func reconsidered() throws {
        var store = store
        store.pushFilter = { document, _ in document.string(forKey: "t") != "secret" }
        #expect(insert("a", "1-aa", "{}") == .inserted)
        try test.change("a", to: "open")
        var refused = try #require(scan()?.changes.first)
        refused.remoteVersion = nil
        let request = StoreRequest.reconsider(refused, serverVersion: Version("1-aa"))
        guard case .reconsidered(.propose(let change)) = store.perform(request) else {
            Issue.record("not proposed again")
            return
        }
        #expect(change.version == refused.version && change.remoteVersion == Version("1-aa"))
        try test.change("a", to: "secret")
        #expect(store.perform(request) == .reconsidered(.excluded))
    }

    @Test("what the remote sent is not pushed back; what was pushed is not pushed again")
    func synced() throws {
        #expect(insert("theirs", "1-aa", "{}") == .inserted)
        let mine = try test.save("mine", "{}")
        #expect(scan()?.changes.map(\.documentID) == ["mine"])
        let revision = SyncedRevision(
            documentID: "mine", version: Version(mine.revisionID))
        #expect(store.perform(.markSynced([revision])) == .synced(conflicting: []))
        #expect(scan()?.changes == [])
    }

    @Test("revisions that can't be stored are refused with a status")
    func refusals() {
        for (id, revision, body, status) in [
            ("a", "nonsense@x", "{}", 400), ("a", "1-aa", "[]", 400), ("a", "1-aa", "{", 400),
            ("_a", "1-aa", "{}", 400),
        ] {
            guard case .refused(let code, _)? = insert(id, revision, body) else {
                Issue.record("\(id) \(revision) \(body) was not refused")
                continue
            }
            #expect(code == status)
        }
        #expect(insert("a", "1-aa", "") == .inserted)
    }

    private func lost(_ id: String, _ version: String = "9-aa") -> ChangesRequest.Row {
        ChangesRequest.Row(
            sequence: RemoteSequence(1), documentID: id, version: Version(version), flags: [.revoked])
    }

    @Test("a lost document is purged, unless the filter keeps it")
    func lostAccess() throws {
        var store = store
        store.pullFilter = { document, flags in !(flags.contains(.accessRemoved) && document.id == "kept") }
        for id in ["kept", "lost"] { #expect(insert(id, "1-aa", "{}") == .inserted) }
        #expect(
            store.perform(.removeAccess(["kept", "lost", "none"].map { lost($0) }))
                == .accessRemoved([false, true, false]))
        #expect(try Array(test.revisions.keys) == ["kept"])
        #expect(insert("kept", "2-bb", #"{"_removed":true}"#) == .accessRemoved(isPurged: true))
        #expect(try test.revisions.isEmpty)
    }

    @Test(
        "a remote takes away only what it has: never a document that it never had, a change or a deletion that wasn't sent"
    )
    func lostUnsent() throws {
        for id in ["edited", "deleted", "conflicted"] { #expect(insert(id, "1-aa", "{}") == .inserted) }
        try test.save("new", #"{"n":1}"#)
        try test.change("edited", to: "mine")
        try test.delete("deleted")
        try test.change("conflicted", to: "mine")
        #expect(insert("conflicted", "2-bb", #"{"t":"theirs"}"#) == .conflict)
        let ids = ["new", "edited", "deleted", "conflicted"]
        let before = try test.revisions
        #expect(store.perform(.removeAccess(ids.map { lost($0) })) == .accessRemoved([false, false, false, false]))
        for id in ids { #expect(insert(id, "9-cc", #"{"_removed":true}"#) == .accessRemoved(isPurged: false), "\(id)") }
        #expect(try test.revisions == before && test.text("edited", "t") == "mine")
        // Another remote has it, which is no business of this one.
        let other = CollectionStore(
            collection: test.collection, role: .active(remote: try test.database.remoteNumber("ws://127.0.0.1/other")))
        let new = try #require(before["new"])
        #expect(
            other.perform(.markSynced([SyncedRevision(documentID: "new", version: Version(new))]))
                == .synced(conflicting: []))
        #expect(store.perform(.removeAccess([lost("new")])) == .accessRemoved([false]))
        // What it has accepted, it may take away: also before that is recorded.
        let edited = try #require(before["edited"])
        #expect(store.perform(.removeAccess([lost("edited", edited)])) == .accessRemoved([true]))
        #expect(
            store.perform(.markSynced([SyncedRevision(documentID: "new", version: Version(new))]))
                == .synced(conflicting: []))
        #expect(store.perform(.removeAccess([lost("new")])) == .accessRemoved([true]))
        #expect(try test.revisions.keys.sorted() == ["conflicted", "deleted"])
    }

    @Test("a row with a whole version vector, or an invalid one, purges no document that the filter keeps")
    func lostVector() throws {
        var store = store
        store.pullFilter = { document, _ in document.id != "kept" }
        for id in ["kept", "lost", "other"] { #expect(insert(id, "1-aa", "{}") == .inserted) }
        let vector = "18e9f04b267a0000@AQIDBAUGBwgJCgsMDQ4PEA; 1@AAECAwQFBgcICQoLDA0ODw"
        let rows = [("kept", vector), ("lost", vector), ("other", ";")].map { id, version in
            ChangesRequest.Row(
                sequence: RemoteSequence(1), documentID: id, version: Version(version), flags: [.revoked])
        }
        #expect(store.perform(.removeAccess(rows)) == .accessRemoved([false, true, false]))
    }

    @Test("a peer's checkpoint is stored only over the revision that the peer knows")
    func peerCheckpoints() {
        func save(_ revision: String) -> StoreResult {
            store.perform(.savePeerCheckpoint(id: "cp-1", revision: revision, body: [1]))
        }
        #expect(store.perform(.loadPeerCheckpoint(id: "cp-1")) == .peerCheckpoint(nil))
        #expect(save("1-cc") == .peerCheckpointConflict)
        #expect(save("") == .peerCheckpointSaved(revision: "1-cc"))
        #expect(save("") == .peerCheckpointConflict)
        #expect(save("1-cc") == .peerCheckpointSaved(revision: "2-cc"))
    }

    @Test("checkpoints end with a collection, and a session that still has it doesn't bring them back")
    func deletedCollection() throws {
        let old = CollectionStore(collection: try test.database.createCollection(name: "c"), role: .active(remote: 1))
        try test.save("a", "{}", in: old.collection)
        #expect(old.perform(.saveCheckpoint(id: "cp-1", body: [1])) == .done)
        let peer = StoreRequest.savePeerCheckpoint(id: "cp-2", revision: "", body: [1])
        #expect(old.perform(peer) == .peerCheckpointSaved(revision: "1-cc"))
        try test.database.deleteCollection(name: "c")
        let new = CollectionStore(collection: try test.database.createCollection(name: "c"), role: .active(remote: 1))
        for request in [StoreRequest.saveCheckpoint(id: "cp-1", body: [1]), peer] {
            guard case .failed = old.perform(request) else {
                Issue.record("\(request) was performed")
                continue
            }
        }
        #expect(new.perform(.loadCheckpoint(id: "cp-1")) == .checkpoint(nil))
        #expect(new.perform(.loadPeerCheckpoint(id: "cp-2")) == .peerCheckpoint(nil))
    }

    @Test("only what gets smaller is compressed")
    func compression() {
        for type in ["text/plain", "application/json"] {
            #expect(CollectionStore.isCompressible(type: type, encoding: nil))
            #expect(!CollectionStore.isCompressible(type: type, encoding: "gzip"))
        }
        for type in ["image/jpeg", "video/mp4", "application/zip", nil] {
            #expect(!CollectionStore.isCompressible(type: type, encoding: nil))
        }
    }

    @Test("a closed database fails for good, and a peer learns the kind of the failure alone")
    func closed() throws {
        try test.database.close()
        guard case .failed(let failure) = store.perform(.loadCheckpoint(id: "cp-1")) else {
            Issue.record("a closed database answered")
            return
        }
        #expect(!failure.isTransient)
        let told = failure.reply.message
        #expect(told.contains("not-open") && !told.contains(failure.reason) && !told.contains(test.path), "\(told)")
    }
}
