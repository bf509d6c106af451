import GRDB
import Synchronization
import Testing

@testable import SealiteDatabase

@Suite("A collection as a remote sees it")
struct PeerViewTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    let view: PeerView

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        view = PeerView(collection: collection, remote: try test.database.remoteNumber("ws://127.0.0.1/db"))
    }

    private func id(_ text: String) throws -> RevisionID { try #require(RevisionID(text)) }

    private func revision(
        _ revision: String, _ history: [String] = [], _ json: String = "{}", document: String = "a",
        deleted: Bool = false, allowConflict: Bool = true, remote: Int? = nil
    ) throws -> IncomingRevision {
        IncomingRevision(
            id: document, revision: try id(revision), history: try history.map { try id($0) }, isDeleted: deleted,
            body: try ReplicatedBody(json: Array(json.utf8)), remote: remote ?? view.remote,
            isConflictAllowed: allowConflict)
    }

    private func insert(_ revisions: IncomingRevision...) throws -> [IncomingOutcome?] {
        try view.insert(revisions).map { try? $0.get() }
    }

    @Test("one bad revision of a batch takes none of the others with it")
    func batch() throws {
        let outcomes = try view.insert([
            revision("1-aa"), revision("1-aa", document: "_bad"), revision("2-bb", ["2-bb"], document: "b"),
            revision("1-cc", document: "c"),
        ])
        #expect(outcomes.map { try? $0.get() } == [.inserted, nil, nil, .inserted])
        #expect(try collection.count == 2)
    }

    @Test("the pages of changes tell what the remote has, and leave nothing out")
    func changes() throws {
        #expect(try insert(revision("1-aa"), revision("1-bb", document: "b")) == [.inserted, .inserted])
        try collection.save(document: MutableDocument(id: "b").setInt(1, forKey: "x"))
        let changes = try view.changes(after: 0, limit: 10)
        #expect(changes.map(\.id) == ["a", "b"])
        #expect(changes.map { $0.remoteRevision == $0.revision } == [true, false])
        #expect(try changes[1].remoteRevision == id("1-bb"))
        #expect(try view.changes(after: changes[0].sequence, limit: 1).map(\.id) == ["b"])
        #expect(try PeerView(collection: collection, remote: nil).changes(after: 0, limit: 1)[0].remoteRevision == nil)
    }

    @Test("without unsent changes the database goes over to the branch that the remote went over to")
    func followsRemote() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"], "{\"x\":1}")) == [.inserted, .inserted])
        #expect(try insert(revision("2-cc", ["1-aa"], "{\"x\":2}")) == [.inserted])
        #expect(try collection.document(id: "a")?.revisionID == "2-cc")
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 2)
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        // Whoever serves peers lets none of them do that.
        #expect(try insert(revision("2-dd", ["1-aa"], allowConflict: false)) == [.refused])
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("with unsent changes it is a conflict, which ends when the remote comes back")
    func conflictEnds() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        let mine = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try insert(revision("2-00", ["1-aa"], "{\"x\":2}")) == [.conflict])
        #expect(try view.compare([(id: "a", revision: id("2-00"))]) == [.conflict])
        #expect(try view.changes(after: 0, limit: 9).map(\.hasConflict) == [true])
        // The remote took our revision after all.
        #expect(try view.compare([(id: "a", revision: mine.revision)]) == [.known])
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == mine.revision)
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a pushed revision that lost meanwhile to a stored branch is a conflict, or followed back")
    func pushedMeanwhile() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        let mine = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try insert(revision("2-00", ["1-aa"], "{\"x\":2}")) == [.conflict])
        try collection.resolveConflict(id: "a", revision: id("2-00"), expecting: nil, resolution: .remote)
        #expect(try view.markSynced([(id: "a", revision: id("2-00"))]) == [])
        // An ancestor of what the remote has is old news.
        #expect(try view.compare([(id: "a", revision: id("1-aa"))]) == [.known])
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == id("2-00"))
        // The local branch is gone, so its revision is wanted again.
        guard case .wanted(let ancestors) = try view.compare([(id: "a", revision: mine.revision)])[0] else {
            Issue.record("a revision that is gone counts as known")
            return
        }
        #expect(try ancestors.first == id("1-aa"))
    }

    @Test("the remote's own revision is the first ancestor that a peer is told")
    func ancestors() throws {
        #expect(try insert(revision("3-cc", ["2-bb", "1-aa"])) == [.inserted])
        let document = try #require(try collection.document(id: "a")).toMutable()
        try collection.save(document: document.setInt(1, forKey: "x"))
        guard case .wanted(let ancestors) = try view.compare([(id: "a", revision: id("9-ff"))])[0] else {
            Issue.record("an unknown revision is not wanted")
            return
        }
        #expect(try ancestors.first == id("3-cc") && ancestors.count == 4)
        #expect(try view.compare([(id: "b", revision: id("9-ff"))]) == [.wanted(ancestors: [])])
        #expect(try view.compare([(id: "a", revision: nil)]) == [.wanted(ancestors: [])])
    }

    @Test("a document made anew over a tombstone is no conflict, and the tombstone stays known")
    func resurrection() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"], deleted: true)) == [.inserted, .inserted])
        #expect(try insert(revision("1-ff", [], "{\"x\":1}")) == [.resurrected])
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
        #expect(try insert(revision("2-bb", ["1-aa"], deleted: true, remote: 2)) == [.existing])
        #expect(try collection.document(id: "a")?.hasConflict == false)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a pushed tombstone over which the remote has made the document anew is old news")
    func pushedBeforeNewBeginning() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        try collection.delete(document: #require(try collection.document(id: "a")))
        let tombstone = try #require(try view.changes(after: 0, limit: 1).first).revision
        #expect(try insert(revision("1-ff", [], "{\"x\":1}")) == [.resurrected])
        #expect(try view.markSynced([(id: "a", revision: tombstone)]) == [])
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == id("1-ff"))
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a new document that was pushed over a tombstone is what the remote has")
    func pushedNewBeginning() throws {
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        let mine = try #require(try view.changes(after: 0, limit: 1).first).revision
        #expect(try insert(revision("2-bb", ["1-aa"], deleted: true)) == [.conflict])
        #expect(try view.markSynced([(id: "a", revision: mine)]) == [])
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == mine)
    }

    @Test("proposals are wanted, known or in conflict with what is named")
    func decisions() throws {
        let served = PeerView(collection: collection, remote: nil)
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"])) == [.inserted, .inserted])
        #expect(try served.decide(id: "new", id("1-aa"), serverRevision: nil) == .wanted)
        #expect(try served.decide(id: "a", id("2-bb"), serverRevision: nil) == .known)
        #expect(try served.decide(id: "a", id("1-aa"), serverRevision: nil) == .known)
        #expect(try served.decide(id: "a", id("3-cc"), serverRevision: id("2-bb")) == .wanted)
        #expect(try served.decide(id: "a", id("2-cc"), serverRevision: id("1-aa")) == .conflict(current: id("2-bb")))
        #expect(try insert(revision("3-cc", ["2-bb"], deleted: true)) == [.inserted])
        #expect(try served.decide(id: "a", id("1-00"), serverRevision: nil) == .wanted)
    }

    @Test("a refused proposal is made again with an ancestor that the peer has, if there is one")
    func reconsidered() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        let mine = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        guard
            case .propose(let change, let ancestor) = try view.reconsider(
                id: "a", refused: nil, serverRevision: id("1-aa"))
        else {
            Issue.record("not proposed again")
            return
        }
        #expect(try change.revision == mine.revision && ancestor == id("1-aa"))
        guard case .conflict = try view.reconsider(id: "a", refused: id("1-aa"), serverRevision: id("2-00")) else {
            Issue.record("no conflict")
            return
        }
        guard case .unnecessary = try view.reconsider(id: "a", refused: nil, serverRevision: mine.revision) else {
            Issue.record("sent although it is there")
            return
        }
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == mine.revision)
    }

    @Test(
        "a revision that is offered again is not needed where the remote has gone on from it, and conflicts where it went back"
    )
    func goneOn() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"])) == [.inserted, .inserted])
        func verdict(_ server: String?, isReoffered: Bool = true) throws -> String {
            let server = try server.map { try id($0) }
            switch try view.reconsider(id: "a", refused: nil, serverRevision: server, isReoffered: isReoffered) {
            case .propose(_, let ancestor): return "propose \(ancestor)"
            case .unnecessary: return "unnecessary"
            case .conflict: return "conflict"
            }
        }
        #expect(try verdict("3-cc") == "unnecessary" && verdict("2-bb") == "unnecessary")
        // Set back to what is known here, it gets the revision; on another branch of the same age or older it lacks it.
        #expect(try verdict("1-aa") == "propose 1-aa" && verdict("2-cc") == "conflict" && verdict("1-cc") == "conflict")
        #expect(try verdict(nil) == "conflict" && verdict("2-cc", isReoffered: false) == "unnecessary")
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try verdict("4-cc") == "propose 2-bb")
        let remote = PeerView(collection: collection, remote: try test.database.remoteNumber("ws://127.0.0.1/other"))
        guard
            case .conflict = try remote.reconsider(id: "a", refused: nil, serverRevision: id("4-cc"), isReoffered: true)
        else {
            Issue.record("no conflict with a remote that never had the revision")
            return
        }
    }

    @Test("what becomes of proposals is decided without reading bodies")
    func withoutBodies() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"])) == [.inserted, .inserted])
        let statements = Mutex<[String]>([])
        try test.database.read {
            try test.database.reading { connection in
                connection.trace { event in statements.withLock { $0.append("\(event)") } }
            }
            _ = try view.decide(id: "a", id("3-cc"), serverRevision: id("1-aa"))
            _ = try view.reconsider(id: "a", refused: nil, serverRevision: id("1-aa"), isReoffered: true)
            _ = try (view.change(id: "a"), collection.document(id: "a"))
            try test.database.reading { $0.trace(nil) }
        }
        let asked = statements.withLock { $0 }.map { $0.replacing("length(body)", with: "") }
        #expect(asked.contains { $0.contains("documents_") })
        #expect(asked.filter { $0.contains("body") }.count == 1, "only the document itself: \(asked)")
    }

    @Test("a revision to send has its body and its history down to what the peer has")
    func sending() throws {
        #expect(try insert(revision("3-cc", ["2-bb", "1-aa"], "{\"x\":1.50}")) == [.inserted])
        func load(_ text: String, _ allowsCurrent: Bool) throws -> PeerRevision {
            try view.revision(
                id: "a", id(text), allowsCurrent: allowsCurrent, knownToPeer: [id("2-bb")], limit: 50,
                listsAttachments: true)
        }
        guard case .found(let found, let history, let isDeleted, let json, _) = try load("1-aa", true) else {
            Issue.record("not found")
            return
        }
        #expect(try found == id("3-cc") && history == [id("2-bb")] && !isDeleted)
        #expect(String(decoding: json, as: UTF8.self) == "{\"x\":1.50}")
        guard case .obsolete = try load("1-aa", false) else {
            Issue.record("an old revision was given")
            return
        }
    }
}
